// Any bytes as a pattern, in both dialects: the compiler neither crashes nor hangs, an objection has a detail, and
// what the EventBridge dialect accepts the extended one accepts too.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/assert.h"
#include "json/parse.h"
#include "match/pattern.h"
#include "match/rule_set.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace millrace;
  using namespace millrace::match;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = json::parse(text);
  if (!document) return 0;
  const auto strict = Pattern::compile(document->root(), Dialect::eventbridge);
  auto extended = Pattern::compile(document->root(), Dialect::extended);
  MR_ASSERT(strict.has_value() || !strict.error().detail.empty(), "an objection says what is wrong");
  MR_ASSERT(extended.has_value() || !extended.error().detail.empty(), "an objection says what is wrong");
  if (!extended) {
    MR_ASSERT(!strict.has_value(), "the extended dialect is a superset");
    return 0;
  }
  // The pattern itself is an event like any other.
  const auto rules = RuleSet::build({{1, std::make_shared<const Pattern>(std::move(*extended))}});
  Scratch scratch;
  std::vector<RuleId> matched;
  rules->match(EventView(document->root()), scratch, matched);
  return 0;
}
