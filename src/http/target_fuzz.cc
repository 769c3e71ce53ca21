// Whatever a target holds, what comes out is valid UTF-8 without NUL, and nothing is lost on the way back.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "http/request.h"
#include "http/target.h"
#include "json/utf8.h"

using namespace millrace;
using namespace millrace::http;

namespace {

std::string encode(std::string_view text) {
  std::string out;
  for (const char c : text) out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

void check_text(std::string_view text) {
  MR_ASSERT(json::is_valid_utf8(text), "decoded text is UTF-8");
  MR_ASSERT(text.find('\0') == std::string_view::npos, "and has no NUL");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string raw = "/" + std::string(reinterpret_cast<const char*>(data), size);
  auto target = parse_target(raw);
  if (!target) return 0;
  std::string again;
  for (const auto& segment : target->segments) {
    check_text(segment);
    again += "/" + encode(segment);
  }
  char separator = '?';
  for (const auto& [name, value] : target->query) {
    check_text(name);
    check_text(value);
    again += separator + encode(name) + "=" + encode(value);
    separator = '&';
  }
  const auto second = parse_target(again);
  MR_ASSERT(second && second->segments == target->segments && second->query == target->query, "a round trip");
  Request request;
  request.target = *std::move(target);
  const auto number = request.query_int("n", -10, 10, 0);
  MR_ASSERT(!number || (*number >= -10 && *number <= 10), "numbers stay in range");
  return 0;
}
