// `millrace rules test`: does this pattern match this event, and if not, which field is to blame (S2.8)?
#include <algorithm>
#include <array>
#include <ostream>

#include "cli/answer.h"
#include "cli/input.h"
#include "cli/rules.h"
#include "cli/verdict.h"
#include "json/parse.h"
#include "json/writer.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  std::string file;
  std::string event;
  std::optional<std::string> dialect;
};

// Whether it is a rule that has a pattern, not a pattern itself: "pattern" with nothing beside it but fields of rules.
// No event has a field of that name, so no pattern looks like this.
bool is_rule(json::Value document) {
  constexpr std::array<std::string_view, 10> kFields = {"name",    "description", "enabled",   "bus",       "dialect",
                                                        "pattern", "targets",     "createdAt", "updatedAt", "version"};
  if (!document.is(json::Kind::object) || !document.find("pattern")) return false;
  for (const json::Member member : document.members()) {
    if (std::ranges::find(kFields, member.key.get_string()) == kFields.end()) return false;
  }
  return true;
}

std::string question(const Options& options, Session& session) {
  const std::string given = read_json_file(options.file, session.in);
  const std::string event = read_json_file(options.event, session.in);
  const json::Document document = json::parse(given).value();
  const bool rule = is_rule(document.root());
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.key("pattern");
  out.compact(rule ? *document.root().find("pattern") : document.root());
  out.raw_member("event", event);
  const std::optional<json::Value> of_rule = rule ? document.root().find("dialect") : std::nullopt;
  if (options.dialect) {
    out.member("dialect", *options.dialect);
  } else if (of_rule) {
    out.key("dialect");
    out.compact(*of_rule);
  }
  out.end_object();
  return text;
}

Exit run(const Options& options, Session& session) {
  if (options.file == "-" && options.event == "-") {
    throw Failure(Exit::usage, "--file and --event are both standard input (name a file for one of them)");
  }
  const json::Document answer = accepted(
      session.open(options.where)
          ->call({.method = http::Method::post, .target = "/api/rules/test", .body = question(options, session)}));
  const json::Value verdict = answer.root();
  if (options.json) {
    session.out << verdict.raw() << "\n";
  } else {
    session.out << render_fields({{"matches", verdict_cell(verdict)}, {"seen as", text_of(verdict, "seenAs")}},
                                 session.out_terminal);
    session.out << render_reasons(verdict, session.out_terminal);
  }
  return matches(verdict) ? Exit::ok : Exit::refused;
}

}  // namespace

void add_rules_test(CLI::App& parent, Chosen& chosen) {
  CLI::App& command =
      add_command(parent, "test", "Say whether a pattern matches an event, and if not, why",
                  "  millrace rules test --file large-orders.json --event order.json\n"
                  "  millrace rules test --file pattern.json --event - --dialect extended < order.json\n"
                  "  millrace get 0K1 --json | millrace rules test --file large-orders.json --event -\n"
                  "It exits 1 when the pattern does not match. Nothing is saved.");
  Options& o = define(command, chosen, run);
  const auto add = [&](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help)->required()->type_name("FILE|-")->check(not_empty());
  };
  add("--file", o.file, "the pattern, or a rule that has one; - is stdin");
  add("--event", o.event, "the event, as the bus shows it, as it is published or as `get --json` prints it");
  command.add_option("--dialect", o.dialect, "of the pattern: eventbridge or extended (the rule's, else eventbridge)")
      ->type_name("NAME")
      ->check(CLI::IsMember(std::vector<std::string>{"eventbridge", "extended"}).description(""));
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

}  // namespace millrace::cli
