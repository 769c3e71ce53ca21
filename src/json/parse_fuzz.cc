// Any bytes: the parser neither crashes nor reads outside them, and what it accepts compacts to a text that
// it accepts again and that compacts to itself.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "json/compact.h"
#include "json/parse.h"

namespace {

using namespace millrace::json;

// Reads all that can be read.
void visit(Value value) {
  std::size_t children = 0;
  switch (value.kind()) {
    case Kind::null:
      return;
    case Kind::boolean:
      MR_ASSERT(value.raw() == (value.get_bool() ? "true" : "false"), "a boolean is its word");
      return;
    case Kind::number:
      MR_ASSERT(!value.as_int64() || value.as_double(), "every int64 has a nearest double");
      return;
    case Kind::string:
      MR_ASSERT(value.equals(value.get_string()), "a string equals its content");
      return;
    case Kind::array:
      for (const Value element : value.elements()) visit(element), ++children;
      break;
    case Kind::object:
      for (const Member member : value.members()) visit(member.key), visit(member.value), ++children;
      break;
  }
  MR_ASSERT(children == value.size(), "size() counts what iteration meets");
}

std::string compacted(std::string_view text) {
  const auto document = parse(text);
  MR_ASSERT(document.has_value(), "a compacted text is accepted");
  std::string out;
  append_compact(out, document->root());
  MR_ASSERT(out.size() == compact_size(document->root()), "compact_size() is the size");
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = parse(text);
  if (!document) {
    MR_ASSERT(document.error().offset <= size, "an error is inside the text or at its end");
    return 0;
  }
  visit(document->root());
  const std::string once = compacted(text);
  MR_ASSERT(once.size() <= size, "compacting never adds");
  MR_ASSERT(compacted(once) == once, "a compacted text is a fixed point");
  return 0;
}
