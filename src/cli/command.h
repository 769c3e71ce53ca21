// What every command is made of: its place in the tree of commands, its options, and the session it runs in.
// Commands are defined while the command line is read and run afterwards, one of them, on one thread.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "cli/api.h"
#include "cli/failure.h"
#include "cli/terminal.h"
#include "cli/where.h"

namespace millrace::cli {

// The outside world as commands see it; tests bring their own.
struct Session {
  std::istream& in;
  std::ostream& out;  // answers
  std::ostream& err;  // everything else
  Terminal out_terminal;
  Terminal err_terminal;
  Environment environment;
  std::function<std::unique_ptr<Api>(const Place&)> connect;
  std::function<void(Millis)> pause;  // before a server is asked again; a signal ends it early

  std::unique_ptr<Api> open(const Where& where) const { return connect(resolve(where, environment)); }
};

// Set by the command that the command line names.
using Chosen = std::function<Exit(Session&)>;

// Adds a subcommand. `examples` are shown below its help, a line each.
CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& purpose,
                      const std::string& examples);

// Lets `command` run `run` with options that live as long as it may. Bind the command's flags to the result.
template <class Options>
Options& define(CLI::App& command, Chosen& chosen, Exit (*run)(const Options&, Session&)) {
  auto options = std::make_shared<Options>();
  command.callback(
      [&chosen, options, run] { chosen = [options, run](Session& session) { return run(*options, session); }; });
  return *options;
}

// --server, --key, --tenant and --ca-file.
void add_server_options(CLI::App& command, Where& where);
// --data and --store, for what can also be done while the server is stopped.
void add_local_options(CLI::App& command, Where& where);
void add_json_option(CLI::App& command, bool& json);

// For an option that narrows down: empty, it is a shell variable that was not set, and everything would be meant.
CLI::Validator not_empty();

// "1 item", "2 items".
std::string count_text(std::size_t items);

// The default of --worker: host name and process.
std::string own_worker_id();

}  // namespace millrace::cli
