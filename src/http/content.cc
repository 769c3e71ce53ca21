#include "http/content.h"

#include <fmt/format.h>

#include <algorithm>

#include "http/ascii.h"

namespace millrace::http {

namespace {

bool is_json(std::string_view content_type) {
  const std::string_view type = trim_blanks(content_type.substr(0, content_type.find(';')));
  if (equal_ignoring_case(type, "application/json")) return true;
  constexpr std::string_view kSuffix = "+json";
  return type.size() > kSuffix.size() && type.find('/') != std::string_view::npos &&
         equal_ignoring_case(type.substr(type.size() - kSuffix.size()), kSuffix);
}

}  // namespace

std::size_t body_limit(const Endpoint& endpoint) {
  return endpoint.body == BodyRule::none ? kIgnoredBodyBytesMax : endpoint.body_bytes_max;
}

Result<void> check_content(const Head& head, const Endpoint& endpoint) {
  if (!head.has_body()) return {};
  if (endpoint.body != BodyRule::none) {
    const auto encoding = head.field("content-encoding").value_or("identity");
    if (!equal_ignoring_case(encoding, "identity"))
      return fail(Errc::unsupported_media, "send the body without Content-Encoding");
  }
  if (endpoint.body == BodyRule::json && !is_json(head.field("content-type").value_or("")))
    return fail(Errc::unsupported_media, "send JSON with Content-Type: application/json");
  const auto length = head.content_length.value_or(0);
  if (length > body_limit(endpoint))
    return fail(Errc::too_large,
                fmt::format("the body has {} bytes; at most {} are taken here", length, body_limit(endpoint)));
  return {};
}

}  // namespace millrace::http
