#include "blob/mark.h"

#include <algorithm>

namespace millrace::blob {
namespace {

constexpr std::size_t kInstallationDigits = 32;

bool is_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

std::string mark_text(std::string_view installation) { return std::string(installation) + "\n"; }

std::string installation_in(std::string_view mark) {
  const std::string_view owner = mark.substr(0, mark.find('\n'));
  const bool whole = owner.size() == kInstallationDigits && std::ranges::all_of(owner, is_digit);
  return std::string(whole ? owner : kDamaged);
}

}  // namespace millrace::blob
