#include "cli/target_text.h"

#include "base/assert.h"

namespace millrace::cli {

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string out;
  for (const char c : text) {
    if (kPlain.find(c) != kPlain.npos) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
  return out;
}

TargetText& TargetText::segment(std::string_view text) {
  MR_ASSERT(!has_query_, "the path comes before the query");
  text_ += "/" + percent_encoded(text);
  return *this;
}

TargetText& TargetText::with(std::string_view name, std::string_view value) {
  text_ += has_query_ ? "&" : "?";
  has_query_ = true;
  text_ += percent_encoded(name) + "=" + percent_encoded(value);
  return *this;
}

}  // namespace millrace::cli
