#include "registry/json_schema/format_uri.h"

#include <algorithm>

#include "registry/json_schema/characters.h"
#include "registry/json_schema/format_network.h"

namespace millrace::registry::json_schema {
namespace {

enum class Alphabet { ascii, wide };

constexpr std::string_view kSubDelimiters = "!$&'()*+,;=";

bool is_unreserved(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~'; }

// Whether the text has only unreserved characters, delimiters, percent-encodings and those in `more`.
bool is_made_of(std::string_view text, std::string_view more, Alphabet alphabet) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
      i += 2;
      continue;
    }
    const bool allowed = is_unreserved(c) || kSubDelimiters.find(c) != kSubDelimiters.npos || more.find(c) != more.npos;
    if (!allowed && (alphabet == Alphabet::ascii || is_ascii(c))) return false;
  }
  return true;
}

// Inside the brackets: an IPv6 address or "v1.future".
bool is_ip_literal(std::string_view text) {
  if (!text.starts_with('v') && !text.starts_with('V')) return is_ipv6(text);
  text.remove_prefix(1);
  if (take_while(text, is_hex).empty() || !take(text, '.') || text.empty()) return false;
  return text.find('%') == text.npos && is_made_of(text, ":", Alphabet::ascii);
}

bool is_authority(std::string_view text, Alphabet alphabet) {
  if (const auto at = text.find('@'); at != text.npos) {
    if (!is_made_of(text.substr(0, at), ":", alphabet)) return false;
    text.remove_prefix(at + 1);
  }
  if (take(text, '[')) {
    const auto end = text.find(']');
    if (end == text.npos || !is_ip_literal(text.substr(0, end))) return false;
    text.remove_prefix(end + 1);
  } else {
    const auto end = std::min(text.find(':'), text.size());
    if (!is_made_of(text.substr(0, end), "", alphabet)) return false;
    text.remove_prefix(end);
  }
  return text.empty() || (take(text, ':') && std::ranges::all_of(text, is_digit));
}

bool take_scheme(std::string_view& text) {
  std::string_view rest = text;
  if (rest.empty() || !is_letter(rest.front())) return false;
  take_while(rest, [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; });
  if (!take(rest, ':')) return false;
  text = rest;
  return true;
}

// After the scheme.
bool is_hierarchy(std::string_view text, Alphabet alphabet) {
  if (const auto hash = text.find('#'); hash != text.npos) {
    if (!is_made_of(text.substr(hash + 1), ":@/?", alphabet)) return false;
    text = text.substr(0, hash);
  }
  if (const auto mark = text.find('?'); mark != text.npos) {
    if (!is_made_of(text.substr(mark + 1), ":@/?", alphabet)) return false;
    text = text.substr(0, mark);
  }
  if (text.starts_with("//")) {
    const auto end = std::min(text.find('/', 2), text.size());
    if (!is_authority(text.substr(2, end - 2), alphabet)) return false;
    text = text.substr(end);
  }
  return is_made_of(text, ":@/", alphabet);
}

bool is_absolute(std::string_view text, Alphabet alphabet) { return take_scheme(text) && is_hierarchy(text, alphabet); }

bool is_reference(std::string_view text, Alphabet alphabet) {
  if (take_scheme(text)) return is_hierarchy(text, alphabet);
  // A colon in the first segment would make it a scheme.
  const std::string_view first = text.substr(0, text.find_first_of("/?#"));
  return first.find(':') == first.npos && is_hierarchy(text, alphabet);
}

// Names of letters, digits, '_' and percent-encodings, with single dots between.
bool take_variable(std::string_view& text) {
  bool any = false;
  while (true) {
    std::size_t length = 0;
    while (length < text.size()) {
      if (is_letter(text[length]) || is_digit(text[length]) || text[length] == '_') {
        ++length;
      } else if (text[length] == '%' && length + 2 < text.size() && is_hex(text[length + 1]) &&
                 is_hex(text[length + 2])) {
        length += 3;
      } else {
        break;
      }
    }
    if (length == 0) return false;
    any = true;
    text.remove_prefix(length);
    if (!take(text, '.')) return any;
  }
}

// Inside the braces.
bool is_expression(std::string_view text) {
  if (text.empty()) return false;
  if (std::string_view("+#./;?&=,!@|").find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  while (true) {
    if (!take_variable(text)) return false;
    if (!take(text, '*') && take(text, ':')) {
      const std::string_view length = take_while(text, is_digit);
      if (length.empty() || length.size() > 4 || length.front() == '0') return false;
    }
    if (text.empty()) return true;
    if (!take(text, ',')) return false;
  }
}

}  // namespace

bool is_uri(std::string_view text) { return is_absolute(text, Alphabet::ascii); }
bool is_uri_reference(std::string_view text) { return is_reference(text, Alphabet::ascii); }
bool is_iri(std::string_view text) { return is_absolute(text, Alphabet::wide); }
bool is_iri_reference(std::string_view text) { return is_reference(text, Alphabet::wide); }

bool is_uri_template(std::string_view text) {
  while (!text.empty()) {
    if (take(text, '{')) {
      const auto end = text.find('}');
      if (end == text.npos || !is_expression(text.substr(0, end))) return false;
      text.remove_prefix(end + 1);
      continue;
    }
    const char c = text.front();
    if (c == '%') {
      if (text.size() < 3 || !is_hex(text[1]) || !is_hex(text[2])) return false;
    } else if (is_ascii(c) &&
               (c <= ' ' || c == 0x7f || std::string_view("\"<>\\^`{|}").find(c) != std::string_view::npos)) {
      return false;
    }
    text.remove_prefix(1);
  }
  return true;
}

}  // namespace millrace::registry::json_schema
