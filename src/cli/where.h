// Which installation a command is about, as the command line and the environment say it. Pure.
#pragma once

#include <optional>
#include <string>

#include "cli/terminal.h"

namespace millrace::cli {

inline constexpr const char* kDefaultServer = "http://127.0.0.1:8080";

// As given on the command line.
struct Where {
  std::optional<std::string> server;
  std::optional<std::string> key;
  std::optional<std::string> tenant;
  std::optional<std::string> ca_file;
  std::optional<std::string> data;   // folder of an embedded store
  std::optional<std::string> store;  // postgres://…
};

// After the environment had its say. Either a server, or one of data and store.
struct Place {
  std::string server;
  std::string key;
  std::string tenant;  // "" = the key's own, or `default`
  std::optional<std::string> ca_file;
  std::string data;
  std::string store;
  bool may_create = false;  // a data folder that does not exist may be made

  bool local() const { return !data.empty() || !store.empty(); }
};

// The command line wins over MILLRACE_SERVER, MILLRACE_KEY, MILLRACE_TENANT and MILLRACE_CA_FILE. Throws
// Failure{usage} if it names more than one place.
Place resolve(const Where& where, const Environment& environment);

}  // namespace millrace::cli
