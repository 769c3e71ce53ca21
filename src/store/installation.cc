#include "store/installation.h"

#include <sys/random.h>

#include <algorithm>
#include <array>

#include "base/digest.h"
#include "store/store_error.h"

namespace millrace::store {
namespace {

constexpr std::size_t kBytes = 16;

}  // namespace

std::string make_installation() {
  std::array<char, kBytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw StoreError(Fate::broken, "the system gives no random numbers");
  }
  return to_hex({bytes.data(), bytes.size()});
}

bool is_installation(std::string_view text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == 2 * kBytes && std::ranges::all_of(text, is_digit);
}

}  // namespace millrace::store
