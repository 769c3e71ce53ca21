// A PROTO schema, a zero byte, a payload: no text crashes, and a schema is compatible with itself.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "json/parse.h"
#include "registry/proto_schema.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace millrace;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\0');
  const auto schema = registry::ProtoSchema::compile(text.substr(0, end));
  if (!schema) return 0;
  MR_ASSERT(registry::compare_proto((*schema)->shape(), (*schema)->shape()).changes.empty(), "differs from itself");
  if (end == text.npos) return 0;
  const auto payload = json::parse(text.substr(end + 1));
  if (payload) (void)(*schema)->check(payload->root());
  return 0;
}
