#include "cli/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

namespace millrace::cli {

CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& purpose,
                      const std::string& examples) {
  CLI::App& command = *parent.add_subcommand(name, purpose);
  if (!examples.empty()) command.footer("examples:\n" + examples);
  return command;
}

void add_server_options(CLI::App& command, Where& where) {
  constexpr const char* kGroup = "Connection";
  command.add_option("--server", where.server, fmt::format("the server (MILLRACE_SERVER, else {})", kDefaultServer))
      ->type_name("URL")
      ->group(kGroup);
  command.add_option("--key", where.key, "access key; better in MILLRACE_KEY, which other users cannot see")
      ->type_name("KEY")
      ->group(kGroup);
  command.add_option("--tenant", where.tenant, "the tenant, where the key's own is not meant (MILLRACE_TENANT)")
      ->type_name("NAME")
      ->group(kGroup);
  command.add_option("--ca-file", where.ca_file, "certificates to trust instead of the system's (MILLRACE_CA_FILE)")
      ->type_name("FILE")
      ->group(kGroup);
}

void add_local_options(CLI::App& command, Where& where) {
  constexpr const char* kGroup = "Without a server";
  command.add_option("--data", where.data, "folder of an embedded store whose server is stopped")
      ->type_name("DIR")
      ->group(kGroup);
  command.add_option("--store", where.store, "postgres://… whose servers are stopped")->type_name("URL")->group(kGroup);
}

void add_json_option(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "print one JSON document, for scripts");
}

CLI::Validator not_empty() {
  return {[](std::string& text) { return text.empty() ? std::string("must not be empty") : std::string(); }, ""};
}

std::string count_text(std::size_t items) { return fmt::format("{} {}", items, items == 1 ? "item" : "items"); }

std::string own_worker_id() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0 || host[0] == '\0') host = {"localhost"};
  return fmt::format("{}:{}", host.data(), ::getpid());
}

}  // namespace millrace::cli
