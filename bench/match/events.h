// GeoJSON-like events of about 900 bytes, the same for the same seed: a lot of a city with its street, price,
// address, owners and outline.
#pragma once

#include <cstdint>
#include <string>

#include "base/mix.h"

namespace millrace::bench {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix64(seed)) {}
  std::uint64_t below(std::uint64_t n) { return (mix64(++state_) >> 8) % n; }

 private:
  std::uint64_t state_;
};

inline constexpr std::uint64_t kLots = 100'000'000;
inline constexpr std::uint64_t kStreets = 2'000;
inline constexpr std::uint64_t kOwners = 1'000'000;
inline constexpr std::uint64_t kPriceMax = 10'000'000;

std::string lot_text(std::uint64_t lot);         // nine digits
std::string street_text(std::uint64_t street);   // "STREET-0123 NORTH"
std::string owner_text(std::uint64_t owner);     // "Owner-0123456 Holding"
std::string address_text(std::uint64_t number);  // within 10.0.0.0/8

std::string make_event(Random& random);

// One text of 4 KiB, of the letters a and b.
std::string make_hostile_event(Random& random);

}  // namespace millrace::bench
