#include "blob/mark.h"

#include <algorithm>

namespace millrace::blob {
namespace {

constexpr std::size_t kOwnerBytesMax = 64;

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

}  // namespace

std::string mark_text(std::string_view installation) { return std::string(installation) + "\n"; }

std::string installation_in(std::string_view mark) {
  const std::string_view owner = mark.substr(0, mark.find('\n'));
  const bool is_word = !owner.empty() && owner.size() <= kOwnerBytesMax && owner.front() != '-' &&
                       std::ranges::all_of(owner, is_word_character);
  return std::string(is_word ? owner : kDamaged);
}

}  // namespace millrace::blob
