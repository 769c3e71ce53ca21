#include "rules.h"

#include <fmt/format.h>

#include "events.h"

namespace millrace::bench {
namespace {

std::string property(const std::string& conditions) { return fmt::format(R"({{"properties":{{{}}}}})", conditions); }

template <class Make>
std::vector<std::string> five(Make make) {
  std::vector<std::string> patterns;
  for (std::uint64_t i = 0; i < 5; ++i) patterns.push_back(make(i));
  return patterns;
}

// One field that few events meet, of the i-th kind.
std::string narrow_condition(std::uint64_t kind, Random& random) {
  const std::string lot = lot_text(random.below(kLots));
  const std::string owner = owner_text(random.below(kOwners));
  switch (kind % 8) {
    case 0:
      return fmt::format(R"("MAPBLKLOT":["{}","{}"])", lot, lot_text(random.below(kLots)));
    case 1:
      return fmt::format(R"("MAPBLKLOT":[{{"prefix":"{}"}}])", lot.substr(0, 8));
    case 2:
      return fmt::format(R"("BLKLOT":[{{"suffix":"{}"}}])", lot.substr(1));
    case 3:
      return fmt::format(R"("OWNER":[{{"equals-ignore-case":"{}"}}])", owner);
    case 4:
      return fmt::format(R"("OWNER":[{{"wildcard":"*-{}*"}}])", owner.substr(6, 7));
    case 5: {
      const std::uint64_t low = random.below(kPriceMax);
      return fmt::format(R"("PRICE":[{{"numeric":[">=",{},"<",{}]}}])", low, low + 2);
    }
    case 6:
      return fmt::format(R"("ADDRESS":[{{"cidr":"{}/30"}}])", address_text(random.below(1 << 24)));
    default:
      return fmt::format(R"("OWNER":["{}"])", owner);
  }
}

// One field that many events meet.
std::string wide_condition(std::uint64_t kind, Random& random) {
  switch (kind % 5) {
    case 0:
      return fmt::format(R"("ST_TYPE":[{{"anything-but":["CT","PL"]}}])");
    case 1:
      return fmt::format(R"("ACTIVE":[true])");
    case 2:
      return fmt::format(R"("LOT_NUM":[{{"exists":true}}])");
    case 3:
      return fmt::format(R"("STREET":[{{"suffix":"NORTH"}}])");
    default:
      return fmt::format(R"("PRICE":[{{"numeric":["<",{}]}}])", random.below(kPriceMax));
  }
}

}  // namespace

std::vector<RuleKind> rule_kinds() {
  const auto street = [](std::uint64_t i) { return street_text(i * 37); };
  return {
      {"exact", five([&](auto i) { return property(fmt::format(R"("STREET":["{}"])", street(i))); })},
      {"exact, three fields", five([&](auto i) {
         return fmt::format(R"({{"type":["Feature"],"properties":{{"STREET":["{}"],"ACTIVE":[true]}}}})", street(i));
       })},
      {"prefix", five([&](auto i) { return property(fmt::format(R"("MAPBLKLOT":[{{"prefix":"0{}"}}])", i)); })},
      {"suffix", five([&](auto i) { return property(fmt::format(R"("MAPBLKLOT":[{{"suffix":"0{}"}}])", i)); })},
      {"equals-ignore-case", five([&](auto i) {
         return property(fmt::format(R"("STREET":[{{"equals-ignore-case":"street-{:04} north"}}])", i * 4));
       })},
      {"wildcard",
       five([&](auto i) { return property(fmt::format(R"("STREET":[{{"wildcard":"*-{:02}*N*TH"}}])", i)); })},
      {"numeric", five([&](auto i) {
         return property(fmt::format(R"("PRICE":[{{"numeric":[">=",{},"<",{}]}}])", i * 1000000, i * 1000000 + 200000));
       })},
      {"anything-but", five([&](auto i) {
         return property(fmt::format(R"("ST_TYPE":[{{"anything-but":["ST","AVE","CT"]}}],"LOT_NUM":["{:04}"])", i));
       })},
      {"anything-but alone",
       five([&](auto i) { return property(fmt::format(R"("STREET":[{{"anything-but":["{}"]}}])", street(i))); })},
      {"exists", five([&](auto i) {
         return property(fmt::format(R"("FIELD_{}":[{{"exists":true}}],"OWNER":[{{"exists":true}}])", i));
       })},
      {"cidr", five([&](auto i) { return property(fmt::format(R"("ADDRESS":[{{"cidr":"10.{}.0.0/16"}}])", i)); })},
      {"$or", five([&](auto i) {
         return fmt::format(
             R"({{"properties":{{"$or":[{{"STREET":["{}"]}},{{"LOT_NUM":["{:04}"]}},{{"BLOCK_NUM":["{:05}"]}}]}}}})",
             street(i), i, i);
       })},
      {"array of objects", five([&](auto i) {
         return fmt::format(R"({{"owners":{{"name":[{{"prefix":"Owner-0{}"}}],"share":[{{"numeric":["<",50]}}]}}}})",
                            i);
       })},
      {"regex", five([&](auto i) {
         return property(fmt::format(R"-("STREET":[{{"regex":"STREET-[0-9]+{} (NORTH|EAST)"}}])-", i));
       })},
  };
}

std::vector<std::string> own_rules(std::size_t count) {
  Random random(2);
  std::vector<std::string> patterns;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string conditions = narrow_condition(i, random);
    if (i % 3 > 0) conditions += "," + wide_condition(i / 5, random);
    // A key may not come twice.
    if (i % 8 == 5 && i % 3 > 0 && i / 5 % 5 == 4) conditions = narrow_condition(0, random);
    patterns.push_back(fmt::format(R"({{"type":["Feature"],"properties":{{{}}}}})", conditions));
  }
  return patterns;
}

std::vector<std::string> shared_rules(std::size_t count) {
  Random random(3);
  constexpr const char* kTypes[] = {"ST", "AVE", "BLVD", "CT", "DR", "LN", "PL", "RD", "TER", "WAY"};
  std::vector<std::string> patterns;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t low = random.below(kPriceMax);
    patterns.push_back(fmt::format(
        R"({{"type":["Feature"],"properties":{{"STREET":["{}"],"ST_TYPE":["{}"],"PRICE":[{{"numeric":[">=",{},"<",{}]}}]}}}})",
        street_text(random.below(kStreets)), kTypes[random.below(10)], low, low + kPriceMax / 4));
  }
  return patterns;
}

std::vector<std::string> wildcard_rules(std::size_t count) {
  Random random(4);
  std::vector<std::string> patterns;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string owner = owner_text(random.below(kOwners));
    const std::string part = owner.substr(6, 6);
    patterns.push_back(property(fmt::format(R"("OWNER":[{{"wildcard":"{}{}*{}*{}"}}])", i % 2 == 0 ? "*" : "Owner*",
                                            part.substr(0, 3), part.substr(3, 3), i % 3 == 0 ? "*ing" : "Hold*")));
  }
  for (std::string& pattern : patterns) {
    for (std::size_t twice = pattern.find("**"); twice != pattern.npos; twice = pattern.find("**"))
      pattern.erase(twice, 1);
  }
  return patterns;
}

std::vector<std::string> hostile_rules(std::size_t count) {
  Random random(5);
  std::vector<std::string> patterns;
  while (patterns.size() < count) {
    std::string wildcard = "*";
    for (std::uint64_t words = 3 + random.below(10); words > 0; --words) {
      for (std::uint64_t letters = 1 + random.below(6); letters > 0; --letters) {
        wildcard.push_back(random.below(2) == 0 ? 'a' : 'b');
      }
      wildcard.push_back('*');
    }
    patterns.push_back(fmt::format(R"({{"text":[{{"wildcard":"{}c*"}}]}})", wildcard));
  }
  return patterns;
}

}  // namespace millrace::bench
