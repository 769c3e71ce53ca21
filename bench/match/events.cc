#include "events.h"

#include <fmt/format.h>

namespace millrace::bench {
namespace {

std::string outline(Random& random) {
  std::string points;
  const double x = -122.0 - static_cast<double>(random.below(1'000'000)) / 1e6;
  const double y = 37.0 + static_cast<double>(random.below(1'000'000)) / 1e6;
  for (int i = 0; i < 10; ++i) {
    points += fmt::format("{}[{:.12f},{:.12f},0.0]", i > 0 ? "," : "", x + i * 1e-5, y + i * 2e-5);
  }
  return points;
}

std::string owners(Random& random) {
  std::string list;
  for (int i = 0; i < 2; ++i) {
    list += fmt::format(R"({}{{"name":"{}","share":{}}})", i > 0 ? "," : "", owner_text(random.below(kOwners)),
                        random.below(100));
  }
  return list;
}

}  // namespace

std::string lot_text(std::uint64_t lot) { return fmt::format("{:09}", lot); }

std::string street_text(std::uint64_t street) {
  constexpr const char* kSides[] = {"NORTH", "SOUTH", "EAST", "WEST"};
  return fmt::format("STREET-{:04} {}", street, kSides[street % 4]);
}

std::string owner_text(std::uint64_t owner) { return fmt::format("Owner-{:07} Holding", owner); }

std::string address_text(std::uint64_t number) {
  return fmt::format("10.{}.{}.{}", number >> 16 & 255, number >> 8 & 255, number & 255);
}

std::string make_event(Random& random) {
  constexpr const char* kTypes[] = {"ST", "AVE", "BLVD", "CT", "DR", "LN", "PL", "RD", "TER", "WAY"};
  const std::uint64_t lot = random.below(kLots);
  return fmt::format(
      R"({{"type":"Feature","source":"city.lots","time":"2025-06-{:02}T12:00:00Z","properties":{{"MAPBLKLOT":"{}",)"
      R"("BLKLOT":"{}","BLOCK_NUM":"{}","LOT_NUM":"{}","FROM_ST":"{}","TO_ST":"{}","STREET":"{}","ST_TYPE":"{}",)"
      R"("ODD_EVEN":"{}","PRICE":{}.{:02},"ADDRESS":"{}","OWNER":"{}","ACTIVE":{}}},"owners":[{}],)"
      R"("geometry":{{"type":"Polygon","coordinates":[[{}]]}}}})",
      1 + random.below(28), lot_text(lot), lot_text(lot), lot_text(lot).substr(0, 5), lot_text(lot).substr(5),
      random.below(3000), random.below(3000), street_text(random.below(kStreets)), kTypes[random.below(10)],
      lot % 2 == 0 ? "E" : "O", random.below(kPriceMax), random.below(100), address_text(random.below(1 << 24)),
      owner_text(random.below(kOwners)), random.below(4) > 0, owners(random), outline(random));
}

std::string make_hostile_event(Random& random) {
  std::string text;
  while (text.size() < 4096) text.push_back(random.below(2) == 0 ? 'a' : 'b');
  return fmt::format(R"({{"text":"{}"}})", text);
}

}  // namespace millrace::bench
