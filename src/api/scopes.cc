#include "api/scopes.h"

#include <array>

namespace millrace::api {
namespace {

constexpr std::array kNames = {kEventsWrite, kEventsRead, kQueueWork, kAdmin, kOperator};
constexpr std::uint8_t kAdminBit = 1 << 3;
constexpr std::uint8_t kOperatorBit = 1 << 4;

std::uint8_t bit_of(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<std::uint8_t>(1u << i);
  }
  return 0;
}

}  // namespace

Scopes Scopes::all() {
  Scopes scopes;
  for (const std::string_view name : kNames) scopes.add(name);
  return scopes;
}

bool Scopes::add(std::string_view name) {
  const std::uint8_t bit = bit_of(name);
  bits_ |= bit;
  return bit != 0;
}

bool Scopes::allow(std::string_view name) const {
  const std::uint8_t wanted = bit_of(name);
  if ((bits_ & (wanted | kOperatorBit)) != 0) return true;
  return (bits_ & kAdminBit) != 0 && wanted != kOperatorBit;
}

std::vector<std::string_view> Scopes::names() const {
  std::vector<std::string_view> names;
  for (const std::string_view name : kNames) {
    if ((bits_ & bit_of(name)) != 0) names.push_back(name);
  }
  return names;
}

}  // namespace millrace::api
