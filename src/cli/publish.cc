// `millrace publish`: one event from options, or many from a file in any envelope.
#include <fmt/format.h>

#include <ostream>

#include "cli/answer.h"
#include "cli/events.h"
#include "cli/input.h"
#include "cli/key_value.h"
#include "cli/printable.h"
#include "cli/publish_events.h"
#include "cli/publish_file.h"
#include "json/writer.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  std::optional<std::string> file;
  std::optional<std::string> type;
  std::optional<std::string> source;
  std::optional<std::string> subject;
  std::optional<std::string> data;
  std::optional<std::string> data_file;
  std::optional<std::string> event_id;
  std::optional<std::string> dedup_id;
  std::optional<std::string> correlation_id;
  std::optional<std::string> causation_id;
  std::optional<std::string> message_group;
  std::optional<std::string> schema_version;
  std::optional<std::string> time;
  std::vector<std::string> context;
};

void write_context(json::Writer& out, const std::vector<std::string>& pairs) {
  if (pairs.empty()) return;
  out.key("contextData");
  out.begin_array();
  for (const std::string& text : pairs) {
    const auto [key, value] = split_pair(text, "--context");
    out.begin_object();
    out.member("key", key);
    out.member("value", value);
    out.end_object();
  }
  out.end_array();
}

std::string event_of(const Options& options, Session& session) {
  std::string body;
  json::Writer out(body);
  out.begin_object();
  out.member("type", *options.type);
  out.member_if("source", options.source);
  out.member_if("subject", options.subject);
  if (options.data) out.raw_member("data", read_json_option(*options.data, "--data", session.in));
  if (options.data_file)
    out.raw_member("data", read_json_option(*options.data_file == "-" ? "-" : "@" + *options.data_file, "--data-file",
                                            session.in));
  // Always one, so that it can be sent again without becoming two. With a deduplicationId that is the sender's.
  if (options.event_id || !options.dedup_id) out.member("eventId", options.event_id.value_or(make_event_id()));
  out.member_if("deduplicationId", options.dedup_id);
  out.member_if("correlationId", options.correlation_id);
  out.member_if("causationId", options.causation_id);
  out.member_if("messageGroup", options.message_group);
  out.member_if("schemaVersion", options.schema_version);
  out.member_if("time", options.time);
  write_context(out, options.context);
  out.end_object();
  return body;
}

void print_warnings(const http::ClientResponse& answer, Session& session) {
  if (const auto warning = answer.header("X-Millrace-Warning")) {
    session.err << "warning: " << printable(*warning) << "\n";
  }
}

enum class Outcome { published, duplicate };

// "duplicate of order-7 at position 3, which has expired"
std::string told(json::Value event, Outcome outcome) {
  std::string id = text_of(event, "eventId");
  if (id.empty()) id = "an event";  // known by its deduplication id, and gone
  const std::string_view gone = event.find("expired") ? ", which has expired" : "";
  return fmt::format("{} {} at position {}{}", outcome == Outcome::duplicate ? "duplicate of" : "published", id,
                     text_of(event, "position"), gone);
}

Exit publish_one(const Options& options, Session& session) {
  const Call call{.method = http::Method::post, .target = "/api/events", .body = event_of(options, session)};
  const std::unique_ptr<Api> api = session.open(options.where);
  http::ClientResponse answer = call_patiently(*api, call, session, false);
  const bool duplicate = answer.status == 200;
  print_warnings(answer, session);
  const json::Document event = accepted(std::move(answer));
  if (options.json) {
    session.out << event.root().raw() << "\n";
  } else {
    session.out << printable(told(event.root(), duplicate ? Outcome::duplicate : Outcome::published)) << "\n";
  }
  return Exit::ok;
}

void print_summary(const Published& published, Session& session) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.member("accepted", published.accepted);
  out.member("duplicates", published.duplicates);
  out.member("refused", published.refused);
  out.key("errors");
  out.begin_array();
  for (const LineRefusal& refusal : published.refusals) {
    out.begin_object();
    out.member("line", refusal.line);
    out.member("detail", refusal.why);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  session.out << text << "\n";
}

Exit publish_many(const Options& options, Session& session) {
  Input input(*options.file, session.in);
  const std::unique_ptr<Api> api = session.open(options.where);
  Publisher publisher(*api, input.name(), session);
  publish_input(input, publisher);
  const Published published = publisher.finish();
  for (const LineRefusal& refusal : published.refusals) {
    session.err << printable(fmt::format("{} line {}: {}", input.name(), refusal.line, refusal.why)) << "\n";
  }
  if (published.refused > published.refusals.size()) {
    session.err << fmt::format("and {} more\n", published.refused - published.refusals.size());
  }
  if (options.json) {
    print_summary(published, session);
  } else {
    session.out << fmt::format("accepted {}, duplicates {}, refused {}\n", published.accepted, published.duplicates,
                               published.refused);
  }
  return published.refused == 0 ? Exit::ok : Exit::refused;
}

bool describes_an_event(const Options& o) {
  for (const auto* given : {&o.type, &o.source, &o.subject, &o.data, &o.data_file, &o.event_id, &o.dedup_id,
                            &o.correlation_id, &o.causation_id, &o.message_group, &o.schema_version, &o.time}) {
    if (*given) return true;
  }
  return !o.context.empty();
}

Exit run(const Options& options, Session& session) {
  // Asked here: the reader of options would say it before it names an option that there is not, whose value it took for
  // the file.
  if (options.file && describes_an_event(options)) {
    throw Failure(Exit::usage,
                  fmt::format("\"{}\" is taken for a FILE of whole events, and --type and the like describe one event: "
                              "give either",
                              *options.file));
  }
  if (options.file) return publish_many(options, session);
  if (!options.type) throw Failure(Exit::usage, "--type is required (or a FILE of events, - for stdin)");
  return publish_one(options, session);
}

}  // namespace

void add_publish(CLI::App& parent, Chosen& chosen) {
  CLI::App& command =
      add_command(parent, "publish", "Publish an event, or many",
                  "  millrace publish --type order.created --source shop --subject order:7 --data '{\"amount\": 99}'\n"
                  "  millrace publish --type report.made --source ci --data @report.json --context branch=main\n"
                  "  millrace publish event.json             one event or an array, in any envelope\n"
                  "  millrace publish events.ndjson          an event a line\n"
                  "  generate | millrace publish - --json");
  Options& o = define(command, chosen, run);
  command.add_option("FILE", o.file, "events as JSON or JSON lines; - is stdin")->type_name("");
  const auto add = [&](const char* name, auto& value, const char* help, const char* type) {
    return command.add_option(name, value, help)->type_name(type)->allow_extra_args(false);
  };
  add("--type", o.type, "what happened, as order.created", "TYPE");
  add("--source", o.source, "who says so", "TEXT");
  add("--subject", o.subject, "what it happened to, as order:7", "TEXT");
  CLI::Option* data = add("--data", o.data, "JSON; @FILE reads a file, - reads stdin", "JSON");
  add("--data-file", o.data_file, "the data from a file; - is stdin", "FILE")->excludes(data);
  add("--event-id", o.event_id, "the same id again publishes nothing (made up)", "ID");
  add("--dedup-id", o.dedup_id, "the same again within its window publishes nothing", "ID");
  add("--correlation-id", o.correlation_id, "of the request or journey it belongs to", "ID");
  add("--causation-id", o.causation_id, "of the event that caused it", "ID");
  add("--message-group", o.message_group, "events of a group are delivered in order", "TEXT");
  add("--schema-version", o.schema_version, "of its data, as 1.0", "VERSION");
  add("--time", o.time, "when it happened, as 2026-01-31T12:00:00Z (now)", "TIME");
  add("--context", o.context, "to find it by; may be given again", "KEY=VALUE");
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

}  // namespace millrace::cli
