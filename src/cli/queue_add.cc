// `millrace queue add`: one item from options, or many from a file of JSON lines.
#include <fmt/format.h>

#include <ostream>

#include "base/limits.h"
#include "cli/answer.h"
#include "cli/input.h"
#include "cli/printable.h"
#include "cli/queue.h"
#include "cli/queue_dry_run.h"
#include "cli/queue_import.h"
#include "json/writer.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  bool dry_run = false;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::string> tags;
  std::optional<std::string> payload;
  std::optional<std::uint32_t> max_retries;
  std::optional<std::int32_t> priority;
  std::optional<std::string> run_at;
  std::optional<std::string> idempotency_key;
  std::optional<std::string> from;
  std::uint64_t skip = 0;
};

std::string item_of(const Options& options, Session& session) {
  std::string body;
  json::Writer out(body);
  out.begin_object();
  out.member("title", *options.title);
  out.member_if("description", options.description);
  out.member_if("tags", options.tags);
  if (options.payload) out.raw_member("payload", read_json_option(*options.payload, "--payload", session.in));
  out.member_if("max_retries", options.max_retries);
  out.member_if("priority", options.priority);
  out.member_if("run_at", options.run_at);
  out.member_if("idempotency_key", options.idempotency_key);
  out.end_object();
  return body;
}

Exit add_one(const Options& options, Session& session) {
  std::string body = item_of(options, session);
  const std::unique_ptr<Api> api = session.open(options.where);
  http::ClientResponse answer = api->call({.method = http::Method::post, .target = "/events", .body = std::move(body)});
  const bool existing = answer.status == 200;  // made before, under the same idempotency key
  const json::Document item = accepted(std::move(answer));
  if (options.json) {
    session.out << item.root().raw() << "\n";
  } else {
    session.out << fmt::format("{} item {}\n", existing ? "existing" : "added", text_of(item.root(), "id"));
  }
  return Exit::ok;
}

Exit add_many(const Options& options, Session& session) {
  Input input(*options.from, session.in);
  const std::unique_ptr<Api> api = session.open(options.where);
  const Imported imported = import_items(*api, input, options.skip, session);
  if (options.json) {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    out.member("added", imported.ids.size());
    out.key("ids");
    out.begin_array();
    for (const std::int64_t id : imported.ids) out.integer(id);
    out.end_array();
    out.end_object();
    session.out << text << "\n";
  } else {
    session.out << fmt::format("added {}\n", count_text(imported.ids.size()));
  }
  return Exit::ok;
}

// What would be sent. No server is asked: it judges an item when it takes it.
Exit foresee(const Options& options, Session& session) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.member("dry_run", true);
  out.member("action", "add");
  std::string line;
  if (options.from) {
    Input input(*options.from, session.in);
    const std::size_t items = count_items(input, options.skip);
    out.member("items", items);
    line = fmt::format("{} would be added", count_text(items));
  } else {
    const std::string item = item_of(options, session);
    out.raw_member("item", item);
    line = fmt::format("one item would be added: {}", printable(item));
  }
  out.end_object();
  return say_nothing_changed(options.json ? text : line, session);
}

Exit run(const Options& options, Session& session) {
  if (!options.from && !options.title) {
    throw Failure(Exit::usage, "--title is required (or --from FILE for many items)");
  }
  if (options.dry_run) return foresee(options, session);
  return options.from ? add_many(options, session) : add_one(options, session);
}

}  // namespace

void add_queue_add(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(
      parent, "add", "Add a work item, or many",
      "  millrace queue add --title 'Send the invoice' --tags mail,invoices --payload '{\"to\":7}'\n"
      "  millrace queue add --title Report --tags reports --payload @report.json --run-at 2026-01-01T06:00:00Z\n"
      "  millrace queue add --title Import --tags imports --idempotency-key import-2026-01\n"
      "  millrace queue add --from items.jsonl        a JSON object a line, with the fields of the API\n"
      "  generate | millrace queue add --from - --json");
  Options& o = define(command, chosen, run);
  CLI::Option* from = command.add_option("--from", o.from, "many items: a file with a JSON object a line; - is stdin")
                          ->type_name("FILE");
  command.add_option("--skip", o.skip, "with --from: lines at the beginning to leave out")->type_name("N")->needs(from);
  const auto add = [&](const char* name, auto& value, const char* help, const char* type) {
    command.add_option(name, value, help)->type_name(type)->excludes(from);
  };
  add("--title", o.title, "what is to be done", "TEXT");
  add("--description", o.description, "more of it", "TEXT");
  add("--tags", o.tags, "what claims find it by, comma separated", "A,B");
  add("--payload", o.payload, "JSON for the worker; @FILE reads a file, - reads stdin", "JSON");
  add("--max-retries", o.max_retries, "tries in all before it is FAILED (3)", "N");
  add("--priority", o.priority, "higher is claimed first (0)", "N");
  add("--run-at", o.run_at, "not before this time, as 2026-01-01T06:00:00Z", "TIME");
  add("--idempotency-key", o.idempotency_key, "for 24 hours the same item is added once only", "TEXT");
  add_dry_run_option(command, o.dry_run);
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

}  // namespace millrace::cli
