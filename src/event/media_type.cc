#include "event/media_type.h"

#include <algorithm>
#include <array>

namespace millrace::event {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

// The charset parameter in lower case, or empty.
std::string charset_of(std::string_view content_type) {
  const std::string lower = lower_case(content_type);
  std::string_view rest = lower;
  for (std::size_t semicolon = rest.find(';'); semicolon != rest.npos; semicolon = rest.find(';')) {
    rest.remove_prefix(semicolon + 1);
    std::string_view parameter = trimmed(rest.substr(0, rest.find(';')));
    constexpr std::string_view kCharset = "charset=";
    if (!parameter.starts_with(kCharset)) continue;
    parameter.remove_prefix(kCharset.size());
    if (parameter.size() >= 2 && parameter.front() == '"' && parameter.back() == '"') {
      parameter = parameter.substr(1, parameter.size() - 2);
    }
    return std::string(parameter);
  }
  return {};
}

// Types of characters that do not begin with text/.
constexpr std::array<std::string_view, 6> kTextual = {"application/xml",  "application/javascript",
                                                      "application/yaml", "application/toml",
                                                      "application/sql",  "application/x-www-form-urlencoded"};

}  // namespace

std::string essence_of(std::string_view content_type) {
  return lower_case(trimmed(content_type.substr(0, content_type.find(';'))));
}

bool is_json_media(std::string_view essence) { return essence.ends_with("/json") || essence.ends_with("+json"); }

bool is_text_media(std::string_view essence, std::string_view content_type) {
  const std::string charset = charset_of(content_type);
  if (!charset.empty() && charset != "utf-8" && charset != "us-ascii") return false;
  return essence.starts_with("text/") || essence.ends_with("+xml") ||
         std::ranges::find(kTextual, essence) != kTextual.end();
}

Mode choose_mode(std::string_view content_type, bool has_attribute_fields) {
  const std::string essence = essence_of(content_type);
  constexpr std::string_view kBatch = "application/cloudevents-batch";
  constexpr std::string_view kSingle = "application/cloudevents";
  if (essence.starts_with(kBatch)) {
    return essence.size() == kBatch.size() || essence == "application/cloudevents-batch+json" ? Mode::cloudevents_batch
                                                                                              : Mode::unsupported;
  }
  if (essence.starts_with(kSingle)) {
    return essence.size() == kSingle.size() || essence == "application/cloudevents+json" ? Mode::cloudevent
                                                                                         : Mode::unsupported;
  }
  if (has_attribute_fields) return Mode::binary;
  return is_json_media(essence) ? Mode::json : Mode::unsupported;
}

}  // namespace millrace::event
