#include "match/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace millrace::match {
namespace {

constexpr std::size_t kAddressTextMax = 45;  // eight groups, the last two as a dotted quad

Address without_mapping(const Address& address) {
  constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (!std::equal(kMapped.begin(), kMapped.end(), address.bytes.begin())) return address;
  Address v4;
  std::copy(address.bytes.begin() + 12, address.bytes.end(), v4.bytes.begin());
  return v4;
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
  if (text.empty() || text.size() > kAddressTextMax) return std::nullopt;
  char buffer[kAddressTextMax + 1];
  std::memcpy(buffer, text.data(), text.size());
  buffer[text.size()] = '\0';
  Address address;
  address.v6 = text.find(':') != text.npos;
  // A text with U+0000 inside would end early for inet_pton.
  if (std::strlen(buffer) != text.size()) return std::nullopt;
  if (inet_pton(address.v6 ? AF_INET6 : AF_INET, buffer, address.bytes.data()) != 1) return std::nullopt;
  return address.v6 ? without_mapping(address) : address;
}

Address network_of(const Address& address, int bits) {
  Address network = address;
  for (int i = 0; i < 16; ++i) {
    const int kept = std::clamp(bits - 8 * i, 0, 8);
    network.bytes[static_cast<std::size_t>(i)] &= static_cast<std::uint8_t>(0xff00 >> kept);
  }
  return network;
}

bool AddressBlock::contains(const Address& address) const {
  return address.v6 == network.v6 && network_of(address, bits) == network;
}

std::expected<AddressBlock, std::string> parse_block(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return std::unexpected(fmt::format("{} has no /bits, as in 10.0.0.0/8", text));
  const std::string_view host = text.substr(0, slash);
  const std::string_view mask = text.substr(slash + 1);
  const auto address = parse_address(host);
  if (!address) return std::unexpected(fmt::format("{} is no IPv4 or IPv6 address", host));

  int bits = -1;
  const auto [stop, error] = std::from_chars(mask.data(), mask.data() + mask.size(), bits);
  const bool mapped = !address->v6 && host.find(':') != host.npos;
  if (mapped) bits -= 96;
  if (error != std::errc() || stop != mask.data() + mask.size() || bits < 0 || bits > address->bits()) {
    const int least = mapped ? 96 : 0;
    return std::unexpected(fmt::format("/{} is no number of bits from {} to {}", mask, least, address->bits() + least));
  }
  return AddressBlock{network_of(*address, bits), bits};
}

}  // namespace millrace::match
