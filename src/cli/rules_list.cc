// `millrace rules list` and `millrace rules show`.
#include <ostream>

#include "cli/answer.h"
#include "cli/documents.h"
#include "cli/lines.h"
#include "cli/pages.h"
#include "cli/rules.h"
#include "cli/table.h"
#include "json/compact.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  std::string name;  // of the one to show
};

Cell enabled_cell(json::Value rule) {
  return text_of(rule, "enabled") == "false" ? Cell("no", Colour::yellow) : Cell("yes", Colour::green);
}

std::string pattern_text(json::Value rule) {
  std::string text;
  if (const std::optional<json::Value> pattern = rule.find("pattern")) json::append_compact(text, *pattern);
  return text;
}

Exit list(const Options& options, Session& session) {
  const std::unique_ptr<Api> api = session.open(options.where);
  if (options.json) {
    session.out << all_items(*api, TargetText(kRule.path)) << "\n";
    return Exit::ok;
  }
  Table table({{.title = "NAME"},
               {.title = "ENABLED"},
               {.title = "BUS"},
               {.title = "TARGETS", .align = Align::right},
               {.title = "VERSION", .align = Align::right},
               {.title = "UPDATED"},
               {.title = "PATTERN", .flexible = true}});
  for_each_item(*api, TargetText(kRule.path), [&](json::Value rule) {
    table.add({text_of(rule, "name"), enabled_cell(rule), text_of(rule, "bus"),
               std::to_string(elements_of(rule, "targets").size()), text_of(rule, "version"),
               Cell(text_of(rule, "updatedAt"), Colour::dim), pattern_text(rule)});
  });
  if (table.empty()) {
    session.err << "there are no rules\n";
  } else {
    session.out << table.render(session.out_terminal);
  }
  return Exit::ok;
}

Exit show(const Options& options, Session& session) {
  const json::Document document = fetch_document(kRule, options.name, *session.open(options.where));
  const json::Value rule = document.root();
  if (options.json) {
    session.out << rule.raw() << "\n";
    return Exit::ok;
  }
  std::vector<std::pair<std::string, Cell>> fields;
  for (const char* name : {"name", "description"}) fields.emplace_back(name, text_of(rule, name));
  fields.emplace_back("enabled", enabled_cell(rule));
  for (const char* name : {"bus", "dialect", "version", "createdAt", "updatedAt"}) {
    fields.emplace_back(name, text_of(rule, name));
  }
  session.out << render_fields(fields, session.out_terminal);
  for (const char* name : {"pattern", "targets"}) {
    const std::optional<json::Value> part = rule.find(name);
    if (part && part->size() > 0) print_block(name, *part, session);
  }
  return Exit::ok;
}

}  // namespace

void add_rules_list(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "list", "List the rules, by name",
                                  "  millrace rules list\n"
                                  "  millrace rules list --json | jq '.items[] | select(.enabled) | .name'");
  Options& o = define(command, chosen, list);
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

void add_rules_show(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "show", "Show one rule",
                                  "  millrace rules show large-orders\n"
                                  "  millrace rules show large-orders --json > large-orders.json");
  Options& o = define(command, chosen, show);
  add_document_name(command, kRule, o.name);
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

}  // namespace millrace::cli
