// `millrace queue list`: items, newest first, a page or all of them.
#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "base/limits.h"
#include "cli/answer.h"
#include "cli/queue.h"
#include "cli/table.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  bool all = false;
  std::optional<std::string> status;
  std::optional<std::string> tags;
  std::optional<std::uint64_t> limit;
  std::optional<std::string> cursor;
};

json::Document fetch_page(const Options& options, const std::optional<std::string>& cursor, Api& api) {
  TargetText target("/events");
  target.with_if("status", options.status).with_if("tags", options.tags).with_if("cursor", cursor);
  target.with("limit", options.all ? limits::kListLimitMax : options.limit.value_or(limits::kListLimitDefault));
  return accepted(api.call({.target = target.text()}));
}

Table item_table() {
  return Table({{.title = "ID", .align = Align::right},
                {.title = "STATUS"},
                {.title = "TITLE", .flexible = true},
                {.title = "TAGS", .flexible = true},
                {.title = "TRIES", .align = Align::right},
                {.title = "CREATED"},
                {.title = "NEXT TRY"}});
}

void add_rows(Table& table, json::Value page) {
  const std::optional<json::Value> events = page.find("events");
  if (!events || !events->is(json::Kind::array)) return;
  for (const json::Value item : events->elements()) {
    const std::string status = text_of(item, "status");
    table.add({text_of(item, "id"), Cell(status, colour_of_status(status)), text_of(item, "title"),
               text_of(item, "tags"), text_of(item, "retry_count"), text_of(item, "created_at"),
               text_of(item, "next_retry_at")});
  }
}

std::optional<std::string> next_cursor(json::Value page) {
  std::string cursor = text_of(page, "next_cursor");
  if (cursor.empty()) return std::nullopt;
  return cursor;
}

Exit list_page(const Options& options, Session& session, Api& api) {
  const json::Document page = fetch_page(options, options.cursor, api);
  if (options.json) {
    session.out << page.root().raw() << "\n";
    return Exit::ok;
  }
  Table table = item_table();
  add_rows(table, page.root());
  if (table.empty()) {
    session.err << "no items\n";
    return Exit::ok;
  }
  session.out << table.render(session.out_terminal);
  if (const auto cursor = next_cursor(page.root())) {
    const bool capped = page.root().find("total_capped").has_value();
    session.err << fmt::format("{}{} in all; the next page: --cursor {}\n", capped ? "more than " : "",
                               text_of(page.root(), "total"), *cursor);
  }
  return Exit::ok;
}

// Printed as it comes, so that a long list needs no memory.
Exit list_all(const Options& options, Session& session, Api& api) {
  Table table = item_table();
  std::uint64_t count = 0;
  std::optional<std::string> cursor = options.cursor;
  const char* head = R"({"events":[)";
  do {
    const json::Document page = fetch_page(options, cursor, api);
    if (options.json) session.out << std::exchange(head, "");  // not before: a refusal prints no half document
    cursor = next_cursor(page.root());
    const std::optional<json::Value> events = page.root().find("events");
    if (!events || !events->is(json::Kind::array)) break;
    if (options.json) {
      for (const json::Value item : events->elements()) session.out << (count++ == 0 ? "" : ",") << item.raw();
    } else if (events->size() > 0) {
      count += events->size();
      add_rows(table, page.root());
      session.out << table.render(session.out_terminal);
    }
  } while (cursor);
  if (options.json) session.out << fmt::format("],\"total\":{}}}\n", count);
  if (!options.json && count == 0) session.err << "no items\n";
  return Exit::ok;
}

Exit run(const Options& options, Session& session) {
  const std::unique_ptr<Api> api = session.open(options.where);
  return options.all ? list_all(options, session, *api) : list_page(options, session, *api);
}

}  // namespace

void add_queue_list(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "list", "List items, newest first",
                                  "  millrace queue list --status FAILED --tags mail\n"
                                  "  millrace queue list --limit 100 --cursor CURSOR\n"
                                  "  millrace queue list --all --json | jq '.events[].id'");
  Options& o = define(command, chosen, run);
  command.add_option("--status", o.status, "PENDING, PROCESSING, COMPLETED, FAILED or CANCELLED")
      ->type_name("STATUS")
      ->transform(CLI::IsMember(std::vector<std::string>{"PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"},
                                CLI::ignore_case)
                      .description(""));
  command.add_option("--tags", o.tags, "items with any of these tags")->type_name("A,B")->check(names_tags());
  CLI::Option* limit =
      command.add_option("--limit", o.limit, fmt::format("items on a page ({})", limits::kListLimitDefault))
          ->type_name("N")
          ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{limits::kListLimitMax}).description(""));
  command.add_option("--cursor", o.cursor, "where the page before ended")->type_name("CURSOR")->check(not_empty());
  command.add_flag("--all", o.all, "page after page, to the end")->excludes(limit);
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

}  // namespace millrace::cli
