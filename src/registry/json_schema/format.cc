#include "registry/json_schema/format.h"

#include <array>
#include <string_view>

#include "registry/json_schema/characters.h"
#include "registry/json_schema/format_network.h"
#include "registry/json_schema/format_time.h"
#include "registry/json_schema/format_uri.h"
#include "registry/json_schema/pattern.h"

namespace millrace::registry::json_schema {
namespace {

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

bool is_json_pointer(std::string_view text) {
  if (!text.empty() && text.front() != '/') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '~') continue;
    if (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1')) return false;
  }
  return true;
}

bool is_relative_json_pointer(std::string_view text) {
  const std::string_view up = take_while(text, is_digit);
  if (up.empty() || (up.size() > 1 && up.front() == '0')) return false;
  return text == "#" || is_json_pointer(text);
}

constexpr auto kFormats = std::to_array<Format>({
    {"date", is_date},
    {"date-time", is_date_time},
    {"duration", is_duration},
    {"email", is_email},
    {"hostname", is_hostname},
    {"idn-email", is_idn_email},
    {"ipv4", is_ipv4},
    {"ipv6", is_ipv6},
    {"iri", is_iri},
    {"iri-reference", is_iri_reference},
    {"json-pointer", is_json_pointer},
    {"regex", is_ecma_pattern},
    {"relative-json-pointer", is_relative_json_pointer},
    {"time", is_time},
    {"uri", is_uri},
    {"uri-reference", is_uri_reference},
    {"uri-template", is_uri_template},
    {"uuid", is_uuid},
});

}  // namespace

const Format* find_format(std::string_view name) {
  for (const Format& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

}  // namespace millrace::registry::json_schema
