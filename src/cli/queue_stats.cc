// `millrace queue stats`: how many items there are by status, and who works on them.
#include <ostream>

#include "cli/answer.h"
#include "cli/pages.h"
#include "cli/queue.h"
#include "cli/table.h"
#include "json/parse.h"
#include "json/writer.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
};

void print_counts(json::Value counts, Session& session) {
  Table table({{.title = "STATUS"}, {.title = "ITEMS", .align = Align::right}});
  for (const json::Member count : counts.members()) {
    const std::string status = count.key.get_string();
    table.add({Cell(status, colour_of_status(status)), std::string(count.value.raw())});
  }
  session.out << table.render(session.out_terminal);
}

void print_workers(json::Value workers, Session& session) {
  if (workers.size() == 0) return;
  Table table({{.title = "WORKER", .flexible = true},
               {.title = "HOLDS", .align = Align::right},
               {.title = "LAST SEEN"},
               {.title = "STATE"}});
  for (const json::Value worker : workers.elements()) {
    const bool stale = text_of(worker, "stale") == "true";
    table.add({text_of(worker, "worker_id"), text_of(worker, "held"), text_of(worker, "last_seen"),
               stale ? Cell("stale", Colour::yellow) : Cell("alive", Colour::green)});
  }
  session.out << "\n" << table.render(session.out_terminal);
}

Exit run(const Options& options, Session& session) {
  const std::unique_ptr<Api> api = session.open(options.where);
  const json::Document counts = accepted(api->call({.target = "/api/queue/stats"}));
  const json::Document answer = json::parse_owned(all_items(*api, TargetText("/api/workers"))).value();
  const json::Value workers = answer.root().find("items").value();
  if (!counts.root().is(json::Kind::object)) {
    throw Failure(Exit::refused, "the server answered with numbers that this program does not know (update it)");
  }
  if (options.json) {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    out.member("counts", counts.root());
    out.member("workers", workers);
    out.end_object();
    session.out << text << "\n";
    return Exit::ok;
  }
  print_counts(counts.root(), session);
  print_workers(workers, session);
  return Exit::ok;
}

}  // namespace

void add_queue_stats(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "stats", "Count the items by status, and list their workers",
                                  "  millrace queue stats\n"
                                  "  millrace queue stats --json | jq .counts.FAILED");
  Options& o = define(command, chosen, run);
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

}  // namespace millrace::cli
