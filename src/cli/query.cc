// `millrace query`: events by what they say, newest first, or by one of the eight indexes (S0.3, S3.4).
#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "base/limits.h"
#include "cli/answer.h"
#include "cli/event_table.h"
#include "cli/events.h"
#include "cli/key_value.h"
#include "cli/target_text.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  bool all = false;
  std::optional<std::string> index;
  std::optional<std::string> pk;
  std::optional<std::string> sk_prefix;
  std::optional<std::string> sk_from;
  std::optional<std::string> sk_after;
  std::optional<std::string> sk_to;
  std::optional<std::string> sk_before;
  std::optional<std::string> order;
  std::optional<std::string> type;
  std::optional<std::string> source;
  std::optional<std::string> subject;
  std::optional<std::string> correlation_id;
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::vector<std::string> context;
  std::optional<std::string> format;
  bool resolve = false;
  std::optional<std::uint64_t> limit;
  std::optional<std::string> cursor;
};

TargetText listing_target(const Options& o) {
  TargetText target("/api/events");
  target.with_if("type", o.type).with_if("source", o.source).with_if("subject", o.subject);
  target.with_if("correlationId", o.correlation_id).with_if("from", o.from).with_if("to", o.to);
  for (const std::string& text : o.context) {
    const auto [key, value] = split_pair(text, "--context");
    target.with("context." + key, value);
  }
  return target;
}

TargetText index_target(const Options& o) {
  TargetText target("/api/events/query");
  target.with_if("index", o.index).with_if("pk", o.pk).with_if("skPrefix", o.sk_prefix);
  target.with_if("skFrom", o.sk_from).with_if("skAfter", o.sk_after);
  target.with_if("skTo", o.sk_to).with_if("skBefore", o.sk_before).with_if("order", o.order);
  return target;
}

json::Document fetch_page(const Options& options, const std::optional<std::string>& cursor, Api& api) {
  TargetText target = options.pk ? index_target(options) : listing_target(options);
  target.with_if("format", options.format).with_if("cursor", cursor);
  if (options.resolve) target.with("resolve", "true");
  if (options.all) target.with("limit", limits::kListLimitMax);
  target.with_if("limit", options.limit);
  return accepted(api.call({.target = target.text()}));
}

std::optional<std::string> next_cursor(json::Value page) {
  std::string cursor = text_of(page, "nextCursor");
  if (cursor.empty()) return std::nullopt;
  return cursor;
}

// How many there were.
std::size_t print_rows(Table& table, json::Value page, Session& session) {
  const std::optional<json::Value> items = page.find("items");
  if (!items || !items->is(json::Kind::array) || items->size() == 0) return 0;
  for (const json::Value event : items->elements()) add_event_row(table, event, session.out_terminal);
  session.out << table.render(session.out_terminal);
  return items->size();
}

bool is_empty(json::Value page) {
  const std::optional<json::Value> items = page.find("items");
  return items && items->is(json::Kind::array) && items->size() == 0;
}

// An empty page with a cursor says no more than that the server has not looked further.
json::Document fetch_next(const Options& options, Api& api) {
  json::Document page = fetch_page(options, options.cursor, api);
  for (auto cursor = next_cursor(page.root()); cursor && is_empty(page.root()); cursor = next_cursor(page.root())) {
    page = fetch_page(options, cursor, api);
  }
  return page;
}

Exit query_page(const Options& options, Session& session, Api& api) {
  const json::Document page = fetch_next(options, api);
  if (options.json) {
    session.out << page.root().raw() << "\n";
    return Exit::ok;
  }
  Table table = event_table();
  if (print_rows(table, page.root(), session) == 0) session.err << "no events\n";
  if (const auto cursor = next_cursor(page.root())) {
    session.err << fmt::format("there are more; the next page: --cursor {}\n", *cursor);
  }
  return Exit::ok;
}

// Printed as it comes, so that a long list needs no memory.
Exit query_all(const Options& options, Session& session, Api& api) {
  Table table = event_table();
  std::size_t count = 0;
  std::optional<std::string> cursor = options.cursor;
  const char* head = R"({"items":[)";
  do {
    const json::Document page = fetch_page(options, cursor, api);
    if (options.json) session.out << std::exchange(head, "");  // not before: a refusal prints no half document
    cursor = next_cursor(page.root());
    if (!options.json) {
      count += print_rows(table, page.root(), session);
      continue;
    }
    const std::optional<json::Value> items = page.root().find("items");
    if (!items || !items->is(json::Kind::array)) break;
    for (const json::Value event : items->elements()) session.out << (count++ == 0 ? "" : ",") << event.raw();
  } while (cursor);
  if (options.json) session.out << "],\"nextCursor\":null}\n";
  if (!options.json && count == 0) session.err << "no events\n";
  return Exit::ok;
}

Exit run(const Options& options, Session& session) {
  const bool of_an_index = options.index || options.sk_prefix || options.sk_from || options.sk_after || options.sk_to ||
                           options.sk_before || options.order;
  if (of_an_index && !options.pk) throw Failure(Exit::usage, "--pk is required with --index, --sk-… and --order");
  if (options.format && !options.json) throw Failure(Exit::usage, "--format goes with --json");
  const std::unique_ptr<Api> api = session.open(options.where);
  return options.all ? query_all(options, session, *api) : query_page(options, session, *api);
}

void add_filters(CLI::App& command, Options& o, CLI::Option* pk) {
  const auto add = [&](const char* name, auto& value, const char* help, const char* type) {
    command.add_option(name, value, help)
        ->type_name(type)
        ->group("By what they say, newest first")
        ->excludes(pk)
        ->allow_extra_args(false)
        ->check(not_empty());
  };
  add("--type", o.type, "of this type", "TYPE");
  add("--source", o.source, "of this source", "TEXT");
  add("--subject", o.subject, "about this subject", "TEXT");
  add("--correlation-id", o.correlation_id, "of this request or journey", "ID");
  add("--from", o.from, "not before this time: 2026-01-31T12:00:00Z or epoch milliseconds", "TIME");
  add("--to", o.to, "before this time", "TIME");
  add("--context", o.context, "with this context; may be given again", "KEY=VALUE");
}

CLI::Option* add_index(CLI::App& command, Options& o) {
  constexpr const char* kGroup = "By an index";
  const auto add = [&](const char* name, auto& value, const char* help, const char* type) {
    return command.add_option(name, value, help)->type_name(type)->group(kGroup)->check(not_empty());
  };
  add("--index", o.index, "table or GSI1 to GSI7 (table)", "NAME");
  CLI::Option* pk = add("--pk", o.pk, "its partition key, as in an event's GSI1PK", "KEY");
  add("--sk-prefix", o.sk_prefix, "sort keys that start so", "TEXT");
  add("--sk-from", o.sk_from, "sort keys from this one on", "KEY");
  add("--sk-after", o.sk_after, "sort keys after this one", "KEY");
  add("--sk-to", o.sk_to, "sort keys up to this one", "KEY");
  add("--sk-before", o.sk_before, "sort keys before this one", "KEY");
  add("--order", o.order, "asc or desc (asc)", "ORDER")
      ->check(CLI::IsMember(std::vector<std::string>{"asc", "desc"}).description(""));
  return pk;
}

}  // namespace

void add_query(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "query", "List events by what they say, or by an index",
                                  "  millrace query --type order.created --from 2026-01-01T00:00:00Z\n"
                                  "  millrace query --subject order:7 --context region=us-west --limit 10\n"
                                  "  millrace query --index GSI1 --pk 'ORDER#7' --order desc\n"
                                  "  millrace query --correlation-id req_01 --all --json | jq '.items[].type'");
  Options& o = define(command, chosen, run);
  add_filters(command, o, add_index(command, o));
  CLI::Option* limit = command.add_option("--limit", o.limit, "events on a page (50)")
                           ->type_name("N")
                           ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{limits::kListLimitMax}).description(""));
  command.add_option("--cursor", o.cursor, "where the page before ended")->type_name("CURSOR")->check(not_empty());
  command.add_flag("--all", o.all, "page after page, to the end")->excludes(limit);
  command.add_option("--format", o.format, "with --json, the envelope: native, snake, keyed or cloudevents")
      ->type_name("FORM")
      ->check(CLI::IsMember(std::vector<std::string>{"native", "snake", "keyed", "cloudevents"}).description(""));
  command.add_flag("--resolve", o.resolve, "with the fields that are kept in the blob store");
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

}  // namespace millrace::cli
