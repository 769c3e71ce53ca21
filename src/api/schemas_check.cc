// POST /api/schemas/check: may this schema follow that one (S2.5)? With "dryRun" also: which stored events would it
// refuse?
#include <fmt/format.h>

#include "api/event_scan.h"
#include "api/reads.h"
#include "api/registry.h"
#include "intake/hindsight.h"
#include "json/known_fields.h"
#include "json/parse.h"
#include "registry/bounds.h"
#include "registry/compile.h"
#include "registry/schema_entry.h"
#include "registry/schema_text.h"

namespace millrace::api {
namespace {

using json::ObjectReader;
using registry::SpecVersion;

// A check as it was asked for, read without the store.
struct Question {
  registry::Comparison comparison;
  SpecVersion new_spec;
  std::optional<ScanRange> trial;  // with "dryRun"
};

// The version of a registered type that a new one is compared with: the one named, else the highest.
// REQUIRES: the type has versions.
Result<SpecVersion> registered_spec(const ObjectReader& in, const std::optional<registry::EventType>& type) {
  const auto named = in.optional_string("version", 32);
  if (!named) return std::unexpected(named.error());
  if (!*named) return type->spec_versions.back();
  const auto version = registry::parse_event_schema_version(**named);
  for (const SpecVersion& spec : type->spec_versions) {
    if (version && spec.version == *version) return spec;
  }
  return fail(Errc::invalid, fmt::format("\"{}\" has no version {}", type->code, **named), "version");
}

Result<std::optional<ScanRange>> read_trial(const ObjectReader& in, const std::optional<std::string>& type) {
  const auto asked = in.optional_object("dryRun");
  if (!asked) return std::unexpected(asked.error());
  if (!*asked) return std::nullopt;
  if (const auto known = json::refuse_unknown(**asked, "\"dryRun\"", {"from", "to"}); !known) {
    return std::unexpected(known.error());
  }
  if (!type) return fail(Errc::invalid, "\"dryRun\" needs the \"type\" whose events are to be looked at", "type");
  ScanRange range{.type = type};
  const auto from = (*asked)->optional_time("from");
  if (!from) return std::unexpected(from.error());
  const auto to = (*asked)->optional_time("to");
  if (!to) return std::unexpected(to.error());
  range.from = *from;
  range.to = *to;
  return range;
}

// The new schema: in the language and for the part of the event that the old one had, unless the body says otherwise.
Result<SpecVersion> read_new(const ObjectReader& in, SpecVersion spec) {
  if (in.optional_value("schemaType")) {
    const auto type = registry::read_schema_type(in, "schemaType");
    if (!type) return std::unexpected(type.error());
    spec.schema_type = *type;
  }
  const auto message = in.optional_string("message", registry::kNameBytesMax);
  if (!message) return std::unexpected(message.error());
  if (*message) spec.message = **message;
  const auto describes = in.optional_string("describes", 20);
  if (!describes) return std::unexpected(describes.error());
  if (*describes && **describes != "data" && **describes != "envelope") {
    return fail(Errc::invalid, "\"describes\" must be data or envelope", "describes");
  }
  if (*describes) {
    spec.describes = **describes == "data" ? registry::Describes::data : registry::Describes::envelope;
  }
  auto text = registry::read_schema_text(in, "new", spec.schema_type);
  if (!text) return std::unexpected(std::move(text.error()));
  spec.schema = *std::move(text);
  return spec;
}

std::unexpected<Error> refuse_without_old(const std::optional<std::string>& code) {
  if (!code) return fail(Errc::invalid, "\"old\" is required, or the \"type\" of a registered event", "old");
  return fail(
      Errc::invalid,
      fmt::format("there is no schema of \"{}\" to compare with; give \"old\", or with \"dryRun\" try the new one "
                  "on the events that are stored",
                  *code),
      "type");
}

Result<Question> read_question(const ObjectReader& in, const std::optional<std::string>& code,
                               const std::optional<registry::EventType>& type) {
  const bool old_given = in.optional_value("old").has_value();
  const bool has_versions = type && !type->spec_versions.empty();
  // The first schema of a type follows none, but there may be events that it has to fit.
  auto trial = read_trial(in, code);
  if (!trial) return std::unexpected(std::move(trial.error()));
  const bool is_first = !old_given && !has_versions && *trial && !in.optional_value("version");
  if (!old_given && !has_versions && !is_first) return refuse_without_old(code);
  SpecVersion base;
  if (has_versions) {
    auto registered = registered_spec(in, type);
    if (!registered && !old_given) return std::unexpected(std::move(registered.error()));
    if (registered) base = *std::move(registered);
  }
  auto new_spec = read_new(in, base);
  if (!new_spec) return std::unexpected(std::move(new_spec.error()));
  const auto compiled = registry::compile_schema(*new_spec);
  if (!compiled) return fail(compiled.error().code, compiled.error().detail, "new");
  auto comparison = is_first    ? Result<registry::Comparison>{}
                    : old_given ? registry::check_schemas(in.object())
                                : registry::compare_schemas(base, *new_spec);
  if (!comparison) return std::unexpected(std::move(comparison.error()));
  return Question{*std::move(comparison), *std::move(new_spec), *std::move(trial)};
}

void write_refused(json::Writer& out, const event::Record& record, const std::vector<registry::Violation>& violations) {
  out.begin_object();
  write_sample_members(out, record);
  out.key("violations");
  out.begin_array();
  for (const registry::Violation& violation : violations) {
    out.begin_object();
    out.member("pointer", violation.pointer);
    out.member("message", violation.message);
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

// {"refused", "scanned", "skipped", "complete", "sample"}
std::string try_schema(store::Store& store, std::optional<ShardId> shard, const TenantId& tenant,
                       const Question& question, const store::Horizon& horizon) {
  const auto schema = intake::SchemaTrial::of(question.new_spec);  // which compiled when the question was read
  std::size_t refused = 0;
  std::string sample;
  json::Writer found(sample);
  found.begin_array();
  const ScanExtent extent =
      scan_events(store, shard, tenant, *question.trial, horizon, [&](const event::Record& record) {
        const auto violations = schema->violations_of(record);
        if (violations.empty() || ++refused > kScanSampleMax) return;
        write_refused(found, record, violations);
      });
  found.end_array();
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.member("refused", refused);
  write_extent_members(out, extent);
  out.raw_member("sample", sample);
  out.end_object();
  return text;
}

Result<std::string> answer_check(Services& services, const http::Request& request, const TenantId& tenant) {
  const auto body = json::parse(std::string_view(request.body));
  if (!body) return std::unexpected(json::to_error(body.error()));
  const auto in = ObjectReader::open(body->root());
  if (!in) return std::unexpected(in.error());
  const auto known = json::refuse_unknown(
      *in, "a check", {"old", "new", "type", "version", "schemaType", "message", "describes", "dryRun"});
  if (!known) return std::unexpected(known.error());
  const auto code = in->optional_string("type", registry::kCodeBytesMax);
  if (!code) return std::unexpected(code.error());
  if (*code && (*code)->empty()) return fail(Errc::invalid, "\"type\" must not be empty", "type");
  std::optional<registry::EventType> type;
  if (*code) {
    const auto document = find_document(services.engine, kEventTypes, tenant, **code);
    if (auto read = document ? type_of(*document) : fail(Errc::not_found, "")) type = *std::move(read);
  }
  const auto question = read_question(*in, *code, type);
  if (!question) return std::unexpected(question.error());
  std::string text;
  json::Writer out(text);
  registry::write(out, question->comparison);
  if (!question->trial) return text;
  const std::string trial =
      try_schema(services.engine.store(), services.engine.shard_of(tenant), tenant, *question, horizon_of(services));
  text.pop_back();  // the closing brace: the trial is one more member
  return text + R"(,"dryRun":)" + trial + "}";
}

}  // namespace

Async<Answer> check_schemas(Services& services, http::Request& request) {
  auto text = co_await read_range(services, [&services, &request, tenant = caller_of(request).tenant] {
    return answer_check(services, request, tenant);
  });
  if (!text) co_return std::unexpected(std::move(text.error()));
  co_return http::json_response(200, *std::move(text));
}

}  // namespace millrace::api
