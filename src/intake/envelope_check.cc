#include "intake/envelope_check.h"

#include <string>
#include <utility>

#include "base/limits.h"
#include "json/parse.h"
#include "json/writer.h"

namespace millrace::intake {
namespace {

using event::TenantName;

// JSON names a field between quotes; the other languages need no more than the word.
bool speaks_of(const registry::SpecVersion& spec, std::string_view field) {
  if (spec.schema_type != registry::SchemaType::json_schema) return spec.schema.find(field) != spec.schema.npos;
  std::string quoted = "\"";
  quoted += field;
  quoted += '"';
  return spec.schema.find(quoted) != spec.schema.npos;
}

std::vector<registry::Violation> check_named(const event::Record& record, const registry::PayloadValidator& validator,
                                             TenantName name) {
  // A stored event is one level deeper than a sender's.
  constexpr json::ParseLimits kStored{.depth = limits::kJsonDepthMax + 2};
  std::string text;
  json::Writer out(text);
  event::write_snake_naming(out, record, name);
  const auto envelope = json::parse(std::string_view(text), kStored);
  return validator.check(envelope->root());
}

}  // namespace

TenantName tenant_name_in(const registry::SpecVersion& spec) {
  const bool organization = speaks_of(spec, "organization_id");
  const bool workspace = speaks_of(spec, "workspace_id");
  if (organization && workspace) return TenantName::both;
  if (organization) return TenantName::organization_id;
  return workspace ? TenantName::workspace_id : TenantName::as_sent;
}

std::vector<registry::Violation> check_envelope(const event::Record& record,
                                                const registry::PayloadValidator& validator, TenantName name) {
  std::vector<registry::Violation> fewest = check_named(record, validator, name);
  if (name != TenantName::both) return fewest;
  for (const TenantName single : {TenantName::organization_id, TenantName::workspace_id}) {
    if (fewest.empty()) break;
    auto violations = check_named(record, validator, single);
    if (violations.size() < fewest.size()) fewest = std::move(violations);
  }
  return fewest;
}

}  // namespace millrace::intake
