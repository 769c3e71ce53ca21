// `millrace queue show`: one item with its payload, and its log if asked for.
#include <ostream>

#include "cli/answer.h"
#include "cli/lines.h"
#include "cli/queue.h"
#include "cli/table.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  bool logs = false;
  std::uint64_t id = 0;
};

void print_item(json::Value item, Session& session) {
  const std::string status = text_of(item, "status");
  std::vector<std::pair<std::string, Cell>> fields;
  for (const char* name : {"id", "title", "description", "status", "tags", "priority", "retry_count", "max_retries",
                           "run_at", "next_retry_at", "created_at", "updated_at"}) {
    const Colour colour = std::string_view(name) == "status" ? colour_of_status(status) : Colour::plain;
    fields.emplace_back(name, Cell(text_of(item, name), colour));
  }
  session.out << render_fields(fields, session.out_terminal);
  const std::optional<json::Value> payload = item.find("payload");
  if (!payload || payload->is(json::Kind::null)) return;
  print_block("payload", *payload, session);
}

void print_log(json::Value entries, Session& session) {
  Table table({{.title = "TIME"},
               {.title = "ACTION"},
               {.title = "WORKER", .flexible = true},
               {.title = "CODE", .align = Align::right},
               {.title = "MS", .align = Align::right},
               {.title = "WHY", .flexible = true}});
  for (const json::Value entry : entries.elements()) {
    const std::string error = text_of(entry, "error_message");
    table.add({text_of(entry, "created_at"), text_of(entry, "action"), text_of(entry, "worker_id"),
               text_of(entry, "status_code"), text_of(entry, "execution_time_ms"),
               error.empty() ? text_of(entry, "reason") : error});
  }
  session.out << "\n" << table.render(session.out_terminal);
}

Exit run(const Options& options, Session& session) {
  const std::unique_ptr<Api> api = session.open(options.where);
  TargetText target = item_target(options.id);
  if (options.logs) target.with("include_logs", "true");
  const json::Document item = accepted(api->call({.target = target.text()}));
  if (options.json) {
    session.out << item.root().raw() << "\n";
    return Exit::ok;
  }
  print_item(item.root(), session);
  const std::optional<json::Value> entries = item.root().find("logs");
  if (entries && entries->is(json::Kind::array)) print_log(*entries, session);
  if (text_of(item.root(), "logs_truncated") == "true") session.err << "older entries of the log are not shown\n";
  return Exit::ok;
}

}  // namespace

void add_queue_show(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "show", "Show one item",
                                  "  millrace queue show 7\n"
                                  "  millrace queue show 7 --logs");
  Options& o = define(command, chosen, run);
  add_item_id(command, o.id);
  command.add_flag("--logs", o.logs, "with everything that happened to it");
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

}  // namespace millrace::cli
