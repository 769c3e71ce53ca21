// `millrace event-types put`: a type is registered, or judged as the server would judge it, with a look at the stored
// events that its schema would refuse (S3.5, S2.5).
#include <fmt/format.h>

#include <ostream>

#include "cli/answer.h"
#include "cli/documents.h"
#include "cli/event_types.h"
#include "cli/input.h"
#include "cli/printable.h"
#include "cli/trial.h"
#include "http/content.h"
#include "json/parse.h"
#include "json/writer.h"
#include "registry/type_change.h"
#include "registry/type_code.h"

namespace millrace::cli {
namespace {

using registry::EventType;
using registry::SpecVersion;

template <class T>
T expect(Result<T> result) {
  if (!result) throw Failure(Exit::refused, result.error().detail);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

std::optional<json::Document> present_type(const std::string& code, Api& api) {
  http::ClientResponse answer = api.call({.target = document_target(kEventType, code).text()});
  if (answer.status == 404) return std::nullopt;
  return accepted(std::move(answer));
}

// The server refuses a body by its length before it reads it.
void check_length(const std::string& body) {
  const http::Endpoint taker{.method = http::Method::put, .body = http::BodyRule::any};
  http::Head head;
  head.content_length = body.size();
  expect(http::check_content(head, taker));
}

// The type that the file asks for, if it may come after the present one. Throws Failure{refused} as a put would.
EventType judge(const PutOptions& options, const std::string& body, const std::optional<json::Document>& present) {
  check_length(body);
  expect(registry::parse_code(options.name));
  const json::Document document = json::parse(body).value();
  EventType wanted =
      expect(registry::merge_event_type(EventType{.code = options.name, .name = options.name}, document.root()));
  expect(present ? registry::check_type_change(expect(registry::parse_event_type(present->root())), wanted)
                 : registry::check_new_type(wanted));
  return wanted;
}

// The schema stands on both sides: what changed was judged already, the stored events are what is asked about.
std::string question(const PutOptions& options, const EventType& type, const SpecVersion& spec) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.member("type", type.code);
  out.member("old", spec.schema);
  out.member("new", spec.schema);
  out.member("schemaType", registry::to_text(spec.schema_type));
  if (spec.schema_type == registry::SchemaType::proto) out.member("message", spec.message);
  out.member("describes", registry::to_text(spec.describes));
  out.key("dryRun");
  out.begin_object();
  if (options.from) out.member("from", *options.from);
  if (options.to) out.member("to", *options.to);
  out.end_object();
  out.end_object();
  return text;
}

struct Foreseen {
  std::optional<std::string> present;  // version of the present document
  std::string schema_version;          // "": no schema would check new events
  std::string without_schema;          // what that means for them
  std::optional<json::Document> answer = {};

  std::optional<json::Value> trial() const { return answer ? answer->root().find("dryRun") : std::nullopt; }
};

// {"dryRun": true, "code", "version", "schemaVersion", "events"}: `version` is the present one, `events` what the API
// says of those that are stored.
void print_json(const PutOptions& options, const Foreseen& foreseen, Session& session) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.member("dryRun", true);
  out.member("code", options.name);
  out.raw_member("version", foreseen.present.value_or("null"));
  if (!foreseen.schema_version.empty()) out.member("schemaVersion", foreseen.schema_version);
  if (const auto trial = foreseen.trial()) {
    out.key("events");
    out.compact(*trial);
  }
  out.end_object();
  session.out << text << "\n";
}

void print_text(const PutOptions& options, const Foreseen& foreseen, Session& session) {
  if (const auto trial = foreseen.trial()) {
    print_trial(*trial, "refused", fmt::format("be refused by schema {}", foreseen.schema_version), session);
  } else {
    session.out << printable(foreseen.without_schema) << "\n";
  }
  const std::string fate =
      foreseen.present ? fmt::format("replaced, it is at version {}", *foreseen.present) : std::string("created");
  session.out << fmt::format("event type {} would be {}\n", printable(options.name), fate);
  session.err << "nothing was saved: --dry-run\n";
}

Exit foresee(const PutOptions& options, const std::string& body, Session& session) {
  const std::unique_ptr<Api> api = session.open(options.where);
  const std::optional<json::Document> present = present_type(options.name, *api);
  const EventType type = judge(options, body, present);
  Foreseen foreseen;
  if (present) foreseen.present = std::to_string(number_of(present->root(), "version").value_or(0));
  const auto chosen = registry::choose_version(type, std::nullopt);
  foreseen.without_schema = chosen ? "no schema would check new events: none is CURRENT"
                                   : "new events would be refused: " + chosen.error().detail;
  if (const SpecVersion* spec = chosen.value_or(nullptr)) {
    foreseen.schema_version = registry::to_text(spec->version);
    foreseen.answer = accepted(api->call(
        {.method = http::Method::post, .target = "/api/schemas/check", .body = question(options, type, *spec)}));
  }
  options.json ? print_json(options, foreseen, session) : print_text(options, foreseen, session);
  return Exit::ok;
}

Exit run(const PutOptions& options, Session& session) {
  const std::string body = read_json_file(options.file, session.in);
  return options.dry_run ? foresee(options, body, session) : put_document(kEventType, options, body, session);
}

}  // namespace

void add_event_types_put(CLI::App& parent, Chosen& chosen) {
  CLI::App& command =
      add_command(parent, "put", "Register a type of events, in place of the one of this code",
                  "  millrace event-types put order.created --file order.created.json\n"
                  "  millrace event-types put order.created --file order.created.json --if-match 3\n"
                  "  millrace event-types put order.created --file - --dry-run --from 2026-01-01T00:00:00Z\n"
                  "--dry-run says whether it would be taken, and which stored events its newest CURRENT schema would\n"
                  "have refused. Needs scope admin, a dry run events:read.");
  add_put_options(command, kEventType, define(command, chosen, run));
}

}  // namespace millrace::cli
