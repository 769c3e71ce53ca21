#include "load/wire.h"

#include <fmt/format.h>
#include <strings.h>

#include <charconv>
#include <iterator>
#include <optional>

namespace millrace::load {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";

// The value of a header field, or nullopt. `head` ends before the empty line.
std::optional<std::string_view> field(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find("\r\n"); at != head.npos; at = head.find("\r\n", at)) {
    at += 2;
    const bool fits = head.size() - at > name.size() && head[at + name.size()] == ':';
    if (!fits || strncasecmp(head.data() + at, name.data(), name.size()) != 0) continue;
    std::string_view value = head.substr(at + name.size() + 1);
    value = value.substr(0, value.find("\r\n"));
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    return value;
  }
  return std::nullopt;
}

template <class Number>
bool parse(std::string_view text, Number& out) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && stop == text.data() + text.size();
}

}  // namespace

void append_get(std::string& out, std::string_view target) {
  fmt::format_to(std::back_inserter(out), "GET {} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", target);
}

void append_post(std::string& out, std::string_view target, std::string_view json) {
  fmt::format_to(std::back_inserter(out),
                 "POST {} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                 target, json.size());
  out += json;
}

Progress read_answer(std::string_view bytes, Answer& answer, std::size_t& used) {
  const std::size_t end = bytes.find(kHeadEnd);
  if (end == bytes.npos) return Progress::incomplete;
  const std::string_view head = bytes.substr(0, end);
  if (!head.starts_with("HTTP/1.1 ") || head.size() < 12) return Progress::malformed;
  if (!parse(head.substr(9, 3), answer.status)) return Progress::malformed;

  std::size_t length = 0;
  if (answer.status != 204) {
    const auto text = field(head, "content-length");
    if (!text || !parse(*text, length)) return Progress::malformed;
  }
  if (bytes.size() < end + kHeadEnd.size() + length) return Progress::incomplete;
  answer.body = bytes.substr(end + kHeadEnd.size(), length);
  const auto connection = field(head, "connection");
  answer.closes = connection && strncasecmp(connection->data(), "close", 5) == 0;
  used = end + kHeadEnd.size() + length;
  return Progress::complete;
}

}  // namespace millrace::load
