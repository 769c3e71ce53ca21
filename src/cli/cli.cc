#include "cli/cli.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "base/log.h"
#include "cli/command.h"
#include "cli/doctor.h"
#include "cli/event_types.h"
#include "cli/events.h"
#include "cli/keys.h"
#include "cli/nearest.h"
#include "cli/printable.h"
#include "cli/queue.h"
#include "cli/rules.h"
#include "cli/schema.h"
#include "cli/tenants.h"

namespace millrace::cli {
namespace {

constexpr std::size_t kHelpColumn = 34;

// Commands of the program that are not in this folder; listed in the help and suggested.
constexpr std::pair<const char*, const char*> kElsewhere[] = {{"serve", "Run the server"},
                                                              {"version", "Print the version"}};

constexpr const char* kFooter = R"(examples:
  millrace serve --data ./data
  millrace publish --type order.created --source shop --subject order:7 --data '{"amount": 99}'
  millrace tail --type order.created
  millrace rules put large-orders --file large-orders.json --dry-run
  millrace queue add --title 'Send the invoice' --tags mail
  millrace queue claim --tags mail --wait 5m
  millrace keys create --tenant acme --scopes events:write,queue:work --expires 90d
  millrace doctor --data ./data

`millrace COMMAND --help` shows more. The server is the one at --server or MILLRACE_SERVER, with the key in
--key or MILLRACE_KEY. Exit codes: 0 done, 1 refused or nothing found, 2 wrong usage, 3 no server.)";

// Without the lists of options that exclude each other: they drown the help, and a wrong command line is told.
class HelpText : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    if (option->get_type_size() != 0 && !option->get_type_name().empty()) text += " " + option->get_type_name();
    if (option->get_required()) text += " " + get_label("REQUIRED");
    return text;
  }
};

std::unique_ptr<CLI::App> begin_app() {
  auto app = std::make_unique<CLI::App>("Millrace: durable events and queues.", "millrace");
  app->formatter(std::make_shared<HelpText>());
  app->get_formatter()->column_width(kHelpColumn);
  app->require_subcommand(1);
  app->footer(kFooter);
  return app;
}

void add_commands(CLI::App& app, Chosen& chosen) {
  add_publish(app, chosen);
  add_tail(app, chosen);
  add_get(app, chosen);
  add_query(app, chosen);
  add_explain(app, chosen);
  add_rules(app, chosen);
  add_event_types(app, chosen);
  add_queue(app, chosen);
  add_schema(app, chosen);
  add_lint(app, chosen);
  add_keys(app, chosen);
  add_tenants(app, chosen);
  add_doctor(app, chosen);
}

std::unique_ptr<CLI::App> make_app(Chosen& chosen) {
  auto app = begin_app();
  add_commands(*app, chosen);
  return app;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

const CLI::App* command_of(const CLI::App& app, std::string_view name) {
  const auto commands = commands_of(app);
  const auto found = std::ranges::find(commands, name, [](const CLI::App* command) { return command->get_name(); });
  return found == commands.end() ? nullptr : *found;
}

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return names;
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

// "millrace queue list", as far as the command line was understood.
std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : path_of(*app.get_parent()) + " " + app.get_name();
}

const CLI::App& deepest(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : deepest(*parsed.front());
}

std::string suggestion(std::string_view word, std::span<const std::string> words) {
  const std::optional<std::string> meant = nearest(word, words);
  return meant ? fmt::format("did you mean {}? ", *meant) : "";
}

// Says which command was meant, level by level; the reader of options would only say that one is missing.
void require_known_commands(const CLI::App& app, std::span<const std::string> args) {
  const CLI::App* level = &app;
  for (const std::string& word : args) {
    std::vector<std::string> names = names_of(*level);
    if (names.empty() || word.starts_with('-')) return;
    if (const CLI::App* next = command_of(*level, word)) {
      level = next;
      continue;
    }
    if (level == &app) {
      for (const auto& [name, purpose] : kElsewhere) names.emplace_back(name);
    }
    throw Failure(Exit::usage, fmt::format("{} has no command \"{}\" ({}see `{} --help`)", path_of(*level),
                                           printable(word), suggestion(word, names), path_of(*level)));
  }
}

// "--limt" -> "did you mean --limit? "
std::string option_suggestion(const CLI::App& command, std::span<const std::string> args) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const std::string& arg : args) {
    const std::string word = arg.substr(0, arg.find('='));
    if (!word.starts_with("--") || std::ranges::find(names, word) != names.end()) continue;
    return suggestion(word, names);
  }
  return "";
}

Exit refuse_usage(const CLI::App& app, const CLI::ParseError& error, std::span<const std::string> args,
                  Session& session) {
  const CLI::App& command = deepest(app);
  const std::vector<std::string> missing = names_of(command);
  std::string what = error.what();
  if (!missing.empty()) what = fmt::format("{} needs a command: {}", path_of(command), joined(missing));
  const bool unknown = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  session.err << fmt::format("millrace: {} ({}see `{} --help`)\n", printable(what),
                             unknown ? option_suggestion(command, args) : "", path_of(command));
  return Exit::usage;
}

Exit parse_and_run(std::span<const std::string> args, Session& session) {
  Chosen chosen;
  const std::unique_ptr<CLI::App> app = make_app(chosen);
  if (args.empty() || args[0] == "--help" || args[0] == "-h" || args[0] == "help") {
    (args.empty() ? session.err : session.out) << help();
    return args.empty() ? Exit::usage : Exit::ok;
  }
  require_known_commands(*app, args);
  try {
    app->parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::CallForHelp&) {
    session.out << app->help();
    return Exit::ok;
  } catch (const CLI::ParseError& error) {
    return refuse_usage(*app, error, args, session);
  }
  return chosen(session);
}

}  // namespace

int run(std::span<const std::string> args, Session& session) {
  Exit exit = Exit::ok;
  try {
    exit = parse_and_run(args, session);
  } catch (const Failure& failure) {
    session.err << "millrace: " << printable(failure.what()) << "\n";
    exit = failure.exit();
  } catch (const std::exception& error) {
    session.err << "millrace: " << printable(error.what()) << "\n";
    exit = Exit::unreachable;
  }
  session.out.flush();
  if (!session.out && exit == Exit::ok) {
    session.err << "millrace: the output could not be written (is the disk full?)\n";
    exit = Exit::refused;
  }
  return static_cast<int>(exit);
}

int run(std::span<char* const> args) {
  start_log("off");  // what went wrong is said once, by the command
  const Environment environment = [](const char* name) -> const char* { return std::getenv(name); };
  Session session{.in = std::cin,
                  .out = std::cout,
                  .err = std::cerr,
                  .out_terminal = look_at(STDOUT_FILENO, environment),
                  .err_terminal = look_at(STDERR_FILENO, environment),
                  .environment = environment,
                  .connect = connect,
                  .pause = [](Millis time) { ::poll(nullptr, 0, static_cast<int>(time.count())); }};
  const std::vector<std::string> texts(args.begin(), args.end());
  return run(texts, session);
}

bool knows(std::string_view command) {
  Chosen chosen;
  return command_of(*make_app(chosen), command) != nullptr;
}

std::string help() {
  Chosen chosen;
  const std::unique_ptr<CLI::App> app = begin_app();
  for (const auto& [name, purpose] : kElsewhere) app->add_subcommand(name, purpose);
  add_commands(*app, chosen);
  return app->help();
}

}  // namespace millrace::cli
