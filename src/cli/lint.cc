// `millrace lint events`: names against the convention, and schemas that cannot be loaded (S2.3). Needs no server.
#include "registry/lint.h"

#include <fmt/format.h>

#include <ostream>

#include "cli/schema.h"
#include "cli/schema_files.h"
#include "cli/table.h"
#include "json/writer.h"

namespace millrace::cli {
namespace {

struct Options {
  bool json = false;
  std::string folder;
  std::string convention = "dotted";
};

using Findings = std::vector<registry::LintFinding>;

void print_json(const Findings& findings, Session& session) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.key("findings");
  out.begin_array();
  for (const registry::LintFinding& finding : findings) {
    out.begin_object();
    out.member("file", finding.file);
    out.member("rule", finding.rule);
    out.member("message", finding.message);
    if (!finding.suggestion.empty()) out.member("suggestion", finding.suggestion);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  session.out << text << "\n";
}

void print_table(const Findings& findings, Session& session) {
  Table table({{.title = "FILE"},
               {.title = "RULE"},
               {.title = "WHAT IS WRONG", .flexible = true},
               {.title = "BETTER", .flexible = true}});
  for (const registry::LintFinding& finding : findings) {
    table.add({finding.file, Cell(finding.rule, Colour::yellow), finding.message, finding.suggestion});
  }
  session.out << table.render(session.out_terminal);
}

Exit run(const Options& options, Session& session) {
  const auto files = read_schema_files(options.folder, session.err);
  const Findings findings = registry::lint_events(files, *registry::parse_convention(options.convention));
  if (options.json) {
    print_json(findings, session);
  } else if (!findings.empty()) {
    print_table(findings, session);
  } else {
    session.err << fmt::format("{} {}, nothing wrong\n", files.size(), files.size() == 1 ? "schema" : "schemas");
  }
  return findings.empty() ? Exit::ok : Exit::refused;
}

}  // namespace

void add_lint(CLI::App& parent, Chosen& chosen) {
  CLI::App& lint =
      add_command(parent, "lint", "Find what is wrong with event names and schemas", "  millrace lint events schemas/");
  lint.require_subcommand(1);
  CLI::App& command = add_command(lint, "events", "Check the names and the schemas of a folder",
                                  "  millrace lint events schemas/events\n"
                                  "  millrace lint events schemas/events --convention colon --json\n"
                                  "It exits 1 when it finds something.");
  Options& o = define(command, chosen, run);
  command.add_option("DIR", o.folder, "the folder of schemas, <type>.v<N>.json")->required()->type_name("");
  command.add_option("--convention", o.convention, "how types are named: dotted, upper or colon (dotted)")
      ->type_name("NAME")
      ->check(CLI::IsMember(std::vector<std::string>{"dotted", "upper", "colon"}).description(""));
  add_json_option(command, o.json);
}

}  // namespace millrace::cli
