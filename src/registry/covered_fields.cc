#include "registry/covered_fields.h"

namespace millrace::registry {
namespace {

using json::Kind;
using json::Value;

// Names times patterns; about a tenth of a second.
constexpr std::size_t kMatchesMax = 100'000;

}  // namespace

CoveredFields::CoveredFields(const FlatSchema& schema) {
  for (const Value patterns : schema.all("patternProperties")) {
    if (!patterns.is(Kind::object)) continue;
    for (const auto& [key, value] : patterns.members()) {
      // A registered schema has compiled, and its patterns with it.
      if (auto pattern = json_schema::Pattern::compile(key.get_string()))
        patterns_.emplace_back(*std::move(pattern), value);
    }
  }
  // Beside additionalProperties nothing is left unevaluated.
  rest_ = schema.find("additionalProperties");
  if (!rest_) rest_ = schema.find("unevaluatedProperties");
  if (rest_ && !rest_->is(Kind::object)) rest_.reset();
}

bool CoveredFields::can_match(std::size_t names) const { return names * patterns_.size() <= kMatchesMax; }

std::vector<Value> CoveredFields::by_pattern(std::string_view name) const {
  std::vector<Value> schemas;
  for (const auto& [pattern, schema] : patterns_) {
    if (pattern.found_in(name)) schemas.push_back(schema);
  }
  return schemas;
}

}  // namespace millrace::registry
