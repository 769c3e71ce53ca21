// `millrace get`: one event, by its id here or by the sender's.
#include <ostream>

#include "cli/answer.h"
#include "cli/events.h"
#include "cli/lines.h"
#include "cli/table.h"
#include "cli/target_text.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  std::string id;
  std::optional<std::string> format;
  bool resolve = false;
};

void print_event(json::Value event, Session& session) {
  std::vector<std::pair<std::string, Cell>> fields;
  for (const char* name :
       {"id", "position", "eventId", "type", "source", "subject", "time", "bus", "schemaVersion", "correlationId",
        "causationId", "messageGroup", "deduplicationId", "app", "entityType", "entityId", "dataschema"}) {
    fields.emplace_back(name, text_of(event, name));
  }
  session.out << render_fields(fields, session.out_terminal);
  for (const char* name : {"contextData", "actor", "metadata", "data"}) {
    const std::optional<json::Value> part = event.find(name);
    const bool container = part && (part->is(json::Kind::object) || part->is(json::Kind::array));
    if (!part || (container && part->size() == 0)) continue;
    print_block(name, *part, session);
  }
}

Exit run(const Options& options, Session& session) {
  TargetText target("/api/events");
  target.segment(options.id).with_if("format", options.format);
  if (options.resolve) target.with("resolve", "true");
  const json::Document event = accepted(session.open(options.where)->call({.target = target.text()}));
  if (options.json) {
    session.out << event.root().raw() << "\n";
  } else if (options.format) {
    print_lines(indented(event.root()), "", session);
  } else {
    print_event(event.root(), session);
  }
  return Exit::ok;
}

}  // namespace

void add_get(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "get", "Show one event",
                                  "  millrace get 0HW8Q2M5RXG0A\n"
                                  "  millrace get 550e8400-e29b-41d4-a716-446655440000 --format cloudevents\n"
                                  "  millrace get 0HW8Q2M5RXG0A --json | jq .data");
  Options& o = define(command, chosen, run);
  command.add_option("ID", o.id, "the event's id, or the eventId of its sender")->required()->type_name("");
  command.add_option("--format", o.format, "its envelope: native, snake, keyed or cloudevents")
      ->type_name("FORM")
      ->check(CLI::IsMember(std::vector<std::string>{"native", "snake", "keyed", "cloudevents"}).description(""));
  command.add_flag("--resolve", o.resolve, "with the fields that are kept in the blob store");
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

}  // namespace millrace::cli
