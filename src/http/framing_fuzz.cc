// What the strict reader accepts must mean one thing: read again from its own parts it is the same, and
// however the bytes are cut, the end of the head and the body are found at the same place.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "http/chunked.h"
#include "http/framing.h"

using namespace millrace;
using namespace millrace::http;

namespace {

void check_head(std::string_view text) {
  const auto head = check_framing(text);
  if (!head) return;
  MR_ASSERT(!(head->chunked && head->content_length), "a body has one length");
  MR_ASSERT(head->fields.size() <= kFieldsMax, "fields are counted");
  std::string again = std::string(to_text(head->method)) + " " + std::string(head->target) + " HTTP/1.";
  again += head->http_1_0 ? "0\r\n" : "1\r\n";
  for (const auto& field : head->fields) {
    MR_ASSERT(field.value.find_first_of("\r\n") == std::string_view::npos, "a value is one line");
    again.append(field.name).append(": ").append(field.value).append("\r\n");
  }
  const auto second = check_framing(again + "\r\n");
  MR_ASSERT(second.has_value(), "what was read can be written and read again");
  MR_ASSERT(second->content_length == head->content_length && second->chunked == head->chunked, "with the same body");
}

void check_end(std::string_view text) {
  const auto whole = find_head_end(text, 0);
  const auto first = find_head_end(text.substr(0, text.size() / 2), 0);
  if (first.state != HeadEnd::State::incomplete) return;
  const auto rest = find_head_end(text, first.size);
  MR_ASSERT(rest.state == whole.state && rest.size == whole.size, "the end does not depend on how the bytes came");
}

void check_chunks(std::string_view text) {
  ChunkDecoder at_once(1000);
  std::string body;
  const auto taken = at_once.feed(text, body);
  ChunkDecoder by_byte(1000);
  std::string slowly;
  std::size_t used = 0;
  bool failed = false;
  while (used < text.size() && !by_byte.done() && !failed) {
    const auto one = by_byte.feed(text.substr(used, 1), slowly);
    failed = !one;
    if (one) used += *one;
  }
  MR_ASSERT(failed == !taken, "both fail or neither");
  if (taken) MR_ASSERT(used == *taken && slowly == body && at_once.done() == by_byte.done(), "and read the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_head(text);
  check_head("POST /x HTTP/1.1\r\nHost: a\r\n" + std::string(text) + "\r\n\r\n");
  check_end(text);
  check_chunks(text);
  return 0;
}
