#include "cli/event_table.h"

#include "cli/answer.h"
#include "cli/printable.h"
#include "json/compact.h"

namespace millrace::cli {
namespace {

std::string data_text(json::Value event, const Terminal& terminal) {
  const std::optional<json::Value> data = event.find("data");
  if (!data) return "";
  std::string text;
  json::append_compact(text, *data);
  return terminal.width == 0 ? text : cut_to(printable(text), terminal.width);
}

}  // namespace

Table event_table() {
  return Table({{.title = "POSITION", .align = Align::right},
                {.title = "TIME"},
                {.title = "TYPE"},
                {.title = "SUBJECT", .flexible = true},
                {.title = "DATA", .flexible = true}});
}

void add_event_row(Table& table, json::Value event, const Terminal& terminal) {
  table.add({text_of(event, "position"), Cell(text_of(event, "time"), Colour::dim),
             Cell(text_of(event, "type"), Colour::blue), text_of(event, "subject"), data_text(event, terminal)});
}

}  // namespace millrace::cli
