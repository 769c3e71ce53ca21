// Any two texts: the first as a schema, the second as a value. Neither crashes the compiler nor the check, the two ways
// to ask agree, and every violation stands at a value that is there.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "json/parse.h"
#include "registry/json_schema/schema.h"
#include "registry/json_schema/uri.h"

namespace {

using namespace millrace;
using namespace millrace::registry::json_schema;

bool leads_somewhere(std::string_view pointer, json::Value value) {
  while (!pointer.empty()) {
    const auto token = take_pointer_token(pointer);
    MR_ASSERT(token.has_value(), "a pointer of a violation is well-formed");
    if (value.is(json::Kind::object)) {
      const auto member = value.find(*token);
      if (!member) return false;
      value = *member;
    } else {
      const std::size_t index = std::stoul(*token);
      if (!value.is(json::Kind::array) || index >= value.size()) return false;
      auto element = value.elements().begin();
      for (std::size_t i = 0; i < index; ++i) ++element;
      value = *element;
    }
  }
  return true;
}

void check(std::string_view schema_text, std::string_view instance_text, const CompileOptions& options) {
  const auto schema = Schema::compile(schema_text, options);
  if (!schema) {
    MR_ASSERT(!schema.error().detail.empty(), "a refusal has a reason");
    return;
  }
  const auto instance = json::parse(instance_text);
  if (!instance) return;
  const bool valid = (*schema)->is_valid(instance->root());
  const auto violations = (*schema)->validate(instance->root());
  MR_ASSERT(violations.empty() == valid, "the two ways to ask agree");
  for (const Violation& violation : violations) {
    MR_ASSERT(leads_somewhere(violation.instance_pointer, instance->root()), "a violation stands at a value");
  }
}

}  // namespace

// The texts are parted by the first 0xff, which is in no UTF-8.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto part = input.find('\xff');
  const std::string_view schema = input.substr(0, part);
  const std::string_view instance = part == input.npos ? schema : input.substr(part + 1);
  check(schema, instance, {.default_draft = Draft::draft202012, .assert_formats = true});
  check(schema, instance, {.default_draft = Draft::draft07});
  return 0;
}
