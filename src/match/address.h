// IP addresses and blocks of them. An IPv4 address mapped into IPv6 (::ffff:10.0.0.1) is the IPv4 address.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace millrace::match {

struct Address {
  std::array<std::uint8_t, 16> bytes{};  // an IPv4 address fills the first four
  bool v6 = false;

  int bits() const { return v6 ? 128 : 32; }
  bool operator==(const Address&) const = default;
};

// Dotted quad without leading zeros, or IPv6 without a zone. nullopt for anything else.
std::optional<Address> parse_address(std::string_view text);

// The address with all but its first `bits` bits cleared.
Address network_of(const Address& address, int bits);

struct AddressBlock {
  Address network;  // host bits cleared
  int bits = 0;

  bool contains(const Address& address) const;
  bool operator==(const AddressBlock&) const = default;
};

// "10.0.0.0/8"; the host bits of the address are ignored. The error says what is wrong.
std::expected<AddressBlock, std::string> parse_block(std::string_view text);

}  // namespace millrace::match
