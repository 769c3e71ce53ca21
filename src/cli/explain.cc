// `millrace explain`: why an event matches a rule, or the first field that does not (S2.8).
#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "base/limits.h"
#include "cli/answer.h"
#include "cli/events.h"
#include "cli/table.h"
#include "cli/target_text.h"
#include "cli/verdict.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  std::string id;
  std::optional<std::string> rule;
};

void print_one(json::Value verdict, Session& session) {
  session.out << render_fields(
      {{"event", text_of(verdict, "eventId")}, {"rule", text_of(verdict, "rule")}, {"matches", verdict_cell(verdict)}},
      session.out_terminal);
  session.out << render_reasons(verdict, session.out_terminal);
}

json::Document fetch(const Options& options, const std::optional<std::string>& cursor, Api& api) {
  TargetText target("/api/events");
  target.segment(options.id).segment("explain").with_if("rule", options.rule);
  if (!options.rule) target.with("limit", limits::kListLimitMax).with_if("cursor", cursor);
  return accepted(api.call({.target = target.text()}));
}

Exit explain_one(const Options& options, Session& session, Api& api) {
  const json::Document verdict = fetch(options, std::nullopt, api);
  if (options.json) {
    session.out << verdict.root().raw() << "\n";
  } else {
    print_one(verdict.root(), session);
  }
  return Exit::ok;
}

// Page after page, as one document or one table.
Exit explain_all(const Options& options, Session& session, Api& api) {
  Table table({{"RULE"}, {"MATCHES"}, {"WHY NOT", Align::left, true}});
  std::size_t count = 0;
  std::optional<std::string> cursor;
  const char* head = R"({"items":[)";
  do {
    const json::Document page = fetch(options, cursor, api);
    if (options.json) session.out << std::exchange(head, "");  // not before: a refusal prints no half document
    for (const json::Value verdict : elements_of(page.root(), "items")) {
      if (options.json) session.out << (count == 0 ? "" : ",") << verdict.raw();
      table.add({text_of(verdict, "rule"), verdict_cell(verdict), first_reason(verdict)});
      ++count;
    }
    if (!options.json && !table.empty()) session.out << table.render(session.out_terminal);
    const std::string next = text_of(page.root(), "nextCursor");
    cursor = next.empty() ? std::nullopt : std::optional(next);
  } while (cursor);
  if (options.json) session.out << "],\"nextCursor\":null}\n";
  if (!options.json && count == 0) session.err << "there are no rules\n";
  return Exit::ok;
}

Exit run(const Options& options, Session& session) {
  const std::unique_ptr<Api> api = session.open(options.where);
  return options.rule ? explain_one(options, session, *api) : explain_all(options, session, *api);
}

}  // namespace

void add_explain(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "explain", "Say why an event matches a rule, or why not",
                                  "  millrace explain 0HW8Q2M5RXG0A --rule large-orders\n"
                                  "  millrace explain 0HW8Q2M5RXG0A\n"
                                  "  millrace explain 0HW8Q2M5RXG0A --json | jq '.items[] | select(.matches) | .rule'");
  Options& o = define(command, chosen, run);
  command.add_option("ID", o.id, "the event's id, or the eventId of its sender")->required()->type_name("");
  command.add_option("--rule", o.rule, "this rule only (all of them)")->type_name("NAME")->check(not_empty());
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

}  // namespace millrace::cli
