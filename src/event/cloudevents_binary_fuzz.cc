// Any lines as header fields and the rest as a body: reading binary mode neither crashes nor lets a body become
// attributes, and what is accepted goes out with the same texts.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "event/attribute_text.h"
#include "event/body.h"
#include "event/cloudevents_binary.h"

namespace {

using namespace millrace;
using namespace millrace::event;

// The part before the next `end`, which it takes off as well.
std::string_view take(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + 1);
  return part;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view type = take(text, '\n');
  std::vector<HeaderField> fields = {{"ce-specversion", "1.0"}, {"ce-id", "1"}, {"ce-source", "/s"}, {"ce-type", "t"}};
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    if (line.empty()) break;
    const std::string_view name = take(line, ':');
    fields.push_back({name, line});
    if (const auto value = decode_header_value(line)) {
      MR_ASSERT(decode_header_value(encode_header_value(*value)) == *value, "an encoded text reads back");
    }
  }
  const Result<Drafts> drafts = read_body(type, fields, text);
  if (!drafts || !drafts->events.front()) return 0;
  MR_ASSERT(drafts->events.front()->header.event_id == "1", "no body names the event");
  return 0;
}
