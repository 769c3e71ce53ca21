#include "http/framing.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "http/ascii.h"

namespace millrace::http {

namespace {

std::unexpected<Error> refuse(const char* why) { return fail(Errc::malformed, why); }

// Cuts the next line off, without its CRLF. REQUIRES: there is one, see check_framing.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end - 1);
  rest.remove_prefix(end + 1);
  return line;
}

Result<void> read_request_line(std::string_view line, Head& head) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return refuse("the request line is not METHOD target version");
  const std::string_view method = line.substr(0, first);
  const std::string_view version = line.substr(last + 1);
  head.target = line.substr(first + 1, last - first - 1);
  if (method.size() > kMethodBytesMax || !is_token(method)) return refuse("the method is not a token");
  if (head.target.empty() || !std::ranges::all_of(head.target, is_visible))
    return refuse("the request target has characters that must be percent-encoded");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return refuse("the version is not HTTP/1.1");
  head.method = parse_method(method);
  head.http_1_0 = version == "HTTP/1.0";
  head.keep_alive = !head.http_1_0;
  return {};
}

Result<Field> read_field(std::string_view line) {
  if (is_blank(line.front())) return refuse("a header field is folded over two lines");
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return refuse("a header field has no colon");
  if (!is_token(line.substr(0, colon))) return refuse("a header field's name is not a token");
  const std::string_view value = trim_blanks(line.substr(colon + 1));
  if (!std::ranges::all_of(value, is_value_char)) return refuse("a header field holds a control character");
  return Field{line.substr(0, colon), value};
}

bool is_host_char(char c) {
  return is_visible(c) && std::string_view("/?#@,\"\\<>^`{|}").find(c) == std::string_view::npos;
}

// How often the fields that decide about framing occurred.
struct Seen {
  int host = 0;
  int content_length = 0;
  int transfer_encoding = 0;
};

Result<void> read_content_length(std::string_view value, Head& head) {
  // 15 digits are beyond any limit and well below overflow.
  if (value.empty() || value.size() > 15 || !std::ranges::all_of(value, is_digit))
    return refuse("Content-Length is not a number");
  std::uint64_t length = 0;
  std::from_chars(value.data(), value.data() + value.size(), length);
  head.content_length = length;
  return {};
}

void read_connection(std::string_view value, Head& head) {
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string_view option = trim_blanks(value.substr(0, comma));
    if (equal_ignoring_case(option, "close")) head.keep_alive = false;
    if (head.http_1_0 && equal_ignoring_case(option, "keep-alive")) head.keep_alive = true;
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
}

Result<void> note_field(const Field& field, Head& head, Seen& seen) {
  if (equal_ignoring_case(field.name, "host")) {
    if (++seen.host > 1) return refuse("there are two Host fields");
    if (!std::ranges::all_of(field.value, is_host_char)) return refuse("Host is not a host and port");
  } else if (equal_ignoring_case(field.name, "content-length")) {
    if (++seen.content_length > 1) return refuse("there are two Content-Length fields");
    return read_content_length(field.value, head);
  } else if (equal_ignoring_case(field.name, "transfer-encoding")) {
    if (++seen.transfer_encoding > 1) return refuse("there are two Transfer-Encoding fields");
    if (!equal_ignoring_case(field.value, "chunked")) return refuse("Transfer-Encoding is not chunked");
    head.chunked = true;
  } else if (equal_ignoring_case(field.name, "connection")) {
    read_connection(field.value, head);
  } else if (equal_ignoring_case(field.name, "expect")) {
    head.expect = equal_ignoring_case(field.value, "100-continue") ? Expect::continue_100 : Expect::unknown;
  }
  return {};
}

Result<void> check_together(const Head& head, const Seen& seen) {
  if (!head.http_1_0 && seen.host == 0) return refuse("Host is missing");
  if (!head.chunked) return {};
  if (head.http_1_0) return refuse("Transfer-Encoding needs HTTP/1.1");
  if (seen.content_length > 0) return refuse("there are both Transfer-Encoding and Content-Length");
  return {};
}

}  // namespace

std::optional<std::string_view> Head::field(std::string_view name) const {
  for (const Field& f : fields) {
    if (equal_ignoring_case(f.name, name)) return f.value;
  }
  return std::nullopt;
}

bool asks_other_version(std::string_view raw_head) {
  const std::string_view line = raw_head.substr(0, raw_head.find('\r'));
  const std::string_view version = line.substr(line.rfind(' ') + 1);
  const bool named = version.size() == 8 && version.starts_with("HTTP/") && is_digit(version[5]) && version[6] == '.' &&
                     is_digit(version[7]);
  return named && version != "HTTP/1.1" && version != "HTTP/1.0";
}

HeadEnd find_head_end(std::string_view bytes, std::size_t from) {
  std::size_t at = from;
  for (;;) {
    const std::size_t lf = bytes.find('\n', at);
    if (lf == std::string_view::npos) return {HeadEnd::State::incomplete, bytes.size()};
    if (lf == 0 || bytes[lf - 1] != '\r') return {HeadEnd::State::bare_line_feed, lf};
    if (lf >= 3 && bytes[lf - 2] == '\n') return {HeadEnd::State::complete, lf + 1};
    at = lf + 1;
  }
}

Result<Head> check_framing(std::string_view raw_head) {
  const HeadEnd end = find_head_end(raw_head, 0);
  if (end.state == HeadEnd::State::bare_line_feed) return refuse("a line ends without a carriage return");
  if (end.state != HeadEnd::State::complete || end.size != raw_head.size())
    return refuse("the head does not end with its first empty line");

  Head head;
  head.fields.reserve(16);
  Seen seen;
  std::string_view rest = raw_head;
  if (auto ok = read_request_line(take_line(rest), head); !ok) return std::unexpected(std::move(ok).error());
  for (std::string_view line = take_line(rest); !line.empty(); line = take_line(rest)) {
    auto field = read_field(line);
    if (!field) return std::unexpected(std::move(field).error());
    if (head.fields.size() == kFieldsMax) return refuse("there are more than 100 header fields");
    head.fields.push_back(*field);
    if (auto ok = note_field(*field, head, seen); !ok) return std::unexpected(std::move(ok).error());
  }
  if (auto ok = check_together(head, seen); !ok) return std::unexpected(std::move(ok).error());
  return head;
}

}  // namespace millrace::http
