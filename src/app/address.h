// "127.0.0.1:8080", "[::1]:8080", "localhost:8080". Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace millrace::app {

struct Address {
  std::string host;  // an IP address without brackets; "localhost" becomes 127.0.0.1
  std::uint16_t port = 0;
  bool operator==(const Address&) const = default;
};

// Nullopt for anything else; names are not looked up.
std::optional<Address> parse_address(std::string_view text);

}  // namespace millrace::app
