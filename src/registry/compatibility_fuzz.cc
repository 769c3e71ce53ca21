// Two schemas, one a line: comparing them ends, says nothing of a schema beside itself, and examples are JSON.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "json/parse.h"
#include "registry/compatibility.h"
#include "registry/json_example.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace millrace;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  const auto old_schema = json::parse(text.substr(0, line));
  const auto new_schema = json::parse(line == text.npos ? std::string_view("{}") : text.substr(line + 1));
  if (!old_schema || !new_schema) return 0;
  (void)registry::compare_json_schemas(old_schema->root(), new_schema->root());
  const auto same = registry::compare_json_schemas(old_schema->root(), old_schema->root());
  // What is too large to compare is said to be unclear.
  const auto judged = [](const registry::Change& change) { return change.kind != registry::ChangeKind::unclear; };
  MR_ASSERT(std::ranges::none_of(same.changes, judged), "a schema differs from itself");
  MR_ASSERT(json::parse_owned(registry::example_of(new_schema->root())).has_value(), "an example is no JSON");
  return 0;
}
