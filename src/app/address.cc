#include "app/address.h"

#include <boost/asio/ip/address.hpp>
#include <charconv>

namespace millrace::app {

std::optional<Address> parse_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos || colon + 1 == text.size()) return std::nullopt;
  Address address;
  const std::string_view digits = text.substr(colon + 1);
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
  if (error != std::errc{} || stop != digits.data() + digits.size()) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  address.host = host == "localhost" ? "127.0.0.1" : std::string(host);
  boost::system::error_code wrong;
  const auto parsed = boost::asio::ip::make_address(address.host, wrong);
  if (wrong || parsed.is_v6() != bracketed) return std::nullopt;
  return address;
}

}  // namespace millrace::app
