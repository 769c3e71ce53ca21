// `millrace schema push`: registers the schemas of a folder at a server (S2.4), all of them or nothing.
#include <fmt/format.h>

#include <ostream>

#include "cli/answer.h"
#include "cli/printable.h"
#include "cli/schema.h"
#include "cli/schema_files.h"
#include "cli/table.h"
#include "json/parse.h"
#include "json/writer.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  bool dry_run = false;
  std::string folder;
};

// {"dryRun", "items", "errors": [{"file", "message"}]}: what was registered, or why nothing was.
void print_json(const Options& options, std::optional<json::Value> items, std::optional<json::Value> errors,
                Session& session) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.member("dryRun", options.dry_run);
  out.key("items");
  out.begin_array();
  if (items && items->is(json::Kind::array)) {
    for (const json::Value item : items->elements()) out.compact(item);
  }
  out.end_array();
  out.key("errors");
  out.begin_array();
  if (errors) {
    for (const json::Value error : errors->elements()) {
      out.begin_object();
      out.member("file", text_of(error, "field"));
      out.member("message", text_of(error, "message"));
      out.end_object();
    }
  }
  out.end_array();
  out.end_object();
  session.out << text << "\n";
}

// Every file that is refused, not only the first.
[[noreturn]] void refuse(const Options& options, const http::ClientResponse& answer, Session& session) {
  const auto document = json::parse(answer.body);
  const auto errors = document ? document->root().find("errors") : std::nullopt;
  const bool listed = errors && errors->is(json::Kind::array) && errors->size() > 0;
  if (!listed) throw Failure(Exit::refused, refusal(answer));
  if (options.json) print_json(options, std::nullopt, errors, session);
  for (const json::Value error : errors->elements()) {
    session.err << printable(fmt::format("{}: {}", text_of(error, "field"), text_of(error, "message"))) << "\n";
  }
  throw Failure(Exit::refused, "nothing was registered (mend the schemas above, or give them a new version)");
}

void add_rows(Table& table, json::Value pushed) {
  const std::optional<json::Value> items = pushed.find("items");
  if (!items || !items->is(json::Kind::array)) return;
  for (const json::Value item : items->elements()) {
    const std::string result = text_of(item, "result");
    table.add({Cell(result, result == "unchanged" ? Colour::dim : Colour::green), text_of(item, "type"),
               text_of(item, "version"), text_of(item, "file")});
  }
}

json::Document push(const Options& options, Session& session, const std::vector<registry::SchemaFile>& files) {
  const std::unique_ptr<Api> api = session.open(options.where);
  http::ClientResponse answer = api->call({.method = http::Method::post,
                                           .target = options.dry_run ? "/api/schemas?dryRun=true" : "/api/schemas",
                                           .body = push_body(files)});
  if (answer.status >= 400) refuse(options, answer, session);
  return accepted(std::move(answer));
}

Exit run(const Options& options, Session& session) {
  const auto files = read_schema_files(options.folder, session.err);
  if (files.empty()) throw Failure(Exit::usage, fmt::format("{} has no schemas, <type>.v<N>.json", options.folder));
  if (in_requests(files).size() > 1) {
    throw Failure(Exit::usage, fmt::format("{} has {} schemas, too much for one request, which is all or nothing (push "
                                           "them from several folders)",
                                           options.folder, files.size()));
  }
  const json::Document pushed = push(options, session, files);
  if (options.json) {
    print_json(options, pushed.root().find("items"), std::nullopt, session);
    return Exit::ok;
  }
  Table table({{.title = "RESULT"}, {.title = "TYPE"}, {.title = "VERSION"}, {.title = "FILE", .flexible = true}});
  add_rows(table, pushed.root());
  session.out << table.render(session.out_terminal);
  if (options.dry_run) session.err << "nothing was registered: --dry-run\n";
  return Exit::ok;
}

}  // namespace

void add_schema_push(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "push", "Register the schemas of a folder at the server",
                                  "  millrace schema push schemas/events --dry-run\n"
                                  "  millrace schema push schemas/events --server https://events.example.com\n"
                                  "All of them are registered, or none. Needs scope admin.");
  Options& o = define(command, chosen, run);
  command.add_option("DIR", o.folder, "the folder of schemas, <type>.v<N>.json")->required()->type_name("");
  command.add_flag("--dry-run", o.dry_run, "only say what would be registered");
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

}  // namespace millrace::cli
