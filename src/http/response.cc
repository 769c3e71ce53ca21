#include "http/response.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <ctime>
#include <iterator>

#include "http/ascii.h"

namespace millrace::http {

namespace {

void append(std::string& out, std::string_view a, std::string_view b, std::string_view c) {
  out.append(a);
  out.append(b);
  out.append(c);
}

void append_number(std::string& out, std::uint64_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

std::string http_date(std::time_t now) {
  static constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm t{};
  gmtime_r(&now, &t);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[static_cast<std::size_t>(t.tm_wday)], t.tm_mday,
                     kMonths[static_cast<std::size_t>(t.tm_mon)], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
}

// Changes once a second, so each thread keeps the last one.
std::string_view date_now() {
  thread_local std::time_t second = -1;
  thread_local std::string text;
  if (const std::time_t now = std::time(nullptr); now != second) {
    second = now;
    text = http_date(now);
  }
  return text;
}

void append_extra(std::string& out, const std::pair<std::string, std::string>& header) {
  append(out, header.first, ": ", "");
  for (const char c : header.second) out.push_back(is_value_char(c) ? c : ' ');
  out.append("\r\n");
}

}  // namespace

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 207:
      return "Multi-Status";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "";
  }
}

void append_head(std::string& out, const Response& response, const Envelope& envelope) {
  out.append("HTTP/1.1 ");
  append_number(out, static_cast<std::uint64_t>(response.status));
  append(out, " ", reason_phrase(response.status), "\r\nDate: ");
  append(out, date_now(), "\r\nX-Correlation-ID: ", envelope.correlation_id);
  append(out, "\r\nX-Request-ID: ", envelope.request_id, "\r\n");
  if (may_have_body(response.status)) {
    append(out, "Content-Type: ", response.content_type, "\r\n");
    if (response.stream) {
      out.append("Transfer-Encoding: chunked\r\n");
    } else {
      out.append("Content-Length: ");
      append_number(out, response.body.size());
      out.append("\r\n");
    }
  }
  if (envelope.connection == Envelope::Connection::close) out.append("Connection: close\r\n");
  if (envelope.connection == Envelope::Connection::keep_alive) out.append("Connection: keep-alive\r\n");
  for (const auto& header : response.headers) append_extra(out, header);
  out.append("\r\n");
}

}  // namespace millrace::http
