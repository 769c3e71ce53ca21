#include "match/popularity.h"

#include <absl/hash/hash.h>
#include <re2/re2.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "match/wildcard_automaton.h"

namespace millrace::match {
namespace {

std::uint64_t hash_test(const Constant& test) { return absl::HashOf(test.word); }
std::uint64_t hash_test(const TextTest& test) {
  return absl::HashOf(static_cast<int>(test.shape), test.ignore_case, test.operand);
}
std::uint64_t hash_test(const Wildcard& test) { return absl::HashOf(test.parts); }
std::uint64_t hash_test(const NumberTest& test) { return absl::HashOf(test.equal->nearest); }
std::uint64_t hash_test(const AddressBlock& test) { return absl::HashOf(test.network.bytes, test.bits); }
std::uint64_t hash_test(const RegexTest& test) { return absl::HashOf(std::string_view(test.regex->pattern())); }
// All ranges of a field together: a value is in a good part of them.
std::uint64_t hash_test(const RangeTest&) { return 1; }
std::uint64_t hash_test(const Exists&) { return 2; }
std::uint64_t hash_test(const Absent&) { return 3; }
std::uint64_t hash_test(const AnythingBut&) { return 4; }

std::uint64_t hash_of(FieldId field, const Condition& condition) {
  const std::uint64_t test = std::visit([](const auto& alternative) { return hash_test(alternative); }, condition.test);
  return absl::HashOf(field, condition.test.index(), test);
}

// A text of two characters is at the start, at the end or inside of many texts, one of ten in few.
std::uint64_t literal_cost(std::size_t length) { return length >= 4 ? 2 : std::uint64_t{1024} >> (3 * length); }

// So many wildcards with a part in common are verified as soon as an automaton is walked.
constexpr std::uint64_t kCandidatesFew = 3;

enum class PartPlace { start, inside, end };

PartPlace place_of(const Wildcard& wildcard, std::size_t part) {
  if (part == 0) return PartPlace::start;
  return part + 1 == wildcard.parts.size() ? PartPlace::end : PartPlace::inside;
}

std::uint64_t hash_part(FieldId field, const Wildcard& wildcard, std::size_t part) {
  const PartPlace place = place_of(wildcard, part);
  std::string_view literal = wildcard.parts[part];
  // What the table goes by.
  if (place == PartPlace::inside && literal.size() > InfixTable::kWidthMax) {
    literal.remove_prefix(literal.size() - InfixTable::kWidthMax);
  }
  return absl::HashOf(field, static_cast<int>(place), literal);
}

}  // namespace

void Popularity::count(FieldId field, const Condition& condition) {
  ++counts_[hash_of(field, condition)];
  ++total_;
  if (const auto* wildcard = std::get_if<Wildcard>(&condition.test)) {
    for (std::size_t i = 0; i < wildcard->parts.size(); ++i) ++counts_[hash_part(field, *wildcard, i)];
  }
}

void Popularity::weigh(FieldId field, const Condition& condition) {
  const auto* wildcard = std::get_if<Wildcard>(&condition.test);
  if (wildcard == nullptr || WildcardAutomaton::pieces_of(*wildcard) < 2) return;
  Crowd& crowd = crowds_[field];
  ++crowd.wildcards;
  crowd.candidates += part_count(field, *wildcard, rarest_part(field, *wildcard));
}

std::uint64_t Popularity::count_of(std::uint64_t hash) const {
  const auto entry = counts_.find(hash);
  return entry == counts_.end() ? 0 : entry->second;
}

std::uint64_t Popularity::part_count(FieldId field, const Wildcard& wildcard, std::size_t part) const {
  return count_of(hash_part(field, wildcard, part));
}

std::uint64_t Popularity::part_cost(FieldId field, const Wildcard& wildcard, std::size_t part) const {
  return part_count(field, wildcard, part) + literal_cost(wildcard.parts[part].size());
}

bool Popularity::is_crowded(FieldId field, const Wildcard& wildcard) const {
  const auto crowd = crowds_.find(field);
  return crowd != crowds_.end() && crowd->second.candidates > kCandidatesFew * crowd->second.wildcards &&
         WildcardAutomaton::pieces_of(wildcard) > 1;
}

std::size_t Popularity::rarest_part(FieldId field, const Wildcard& wildcard) const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < wildcard.parts.size(); ++i) {
    const std::uint64_t cost = part_cost(field, wildcard, i);
    const std::uint64_t best_cost = part_cost(field, wildcard, best);
    const bool longer = wildcard.parts[i].size() > wildcard.parts[best].size();
    if (cost < best_cost || (cost == best_cost && longer)) best = i;
  }
  return best;
}

std::uint64_t Popularity::cost(FieldId field, const Condition& condition) const {
  const std::uint64_t count = count_of(hash_of(field, condition));
  return std::visit(Overloaded{
                        [&](const TextTest& test) {
                          return count + (test.shape == Shape::whole ? 0 : literal_cost(test.operand.size()));
                        },
                        [&](const Wildcard& test) {
                          const std::size_t part = rarest_part(field, test);
                          if (!is_crowded(field, test)) return 2 + part_cost(field, test, part);
                          return 2 + count + literal_cost(test.parts[part].size());
                        },
                        [&](const AddressBlock&) { return count + 2; },
                        [&](const RegexTest&) { return count + 64; },
                        // Narrow ranges bring in less, but which are narrow depends on the events.
                        [&](const RangeTest&) { return count / 4 + 8; },
                        [&](const Exists&) { return count + 32; },
                        [&](const AnythingBut&) { return count + total_; },
                        [&](const auto&) { return count; },
                    },
                    condition.test);
}

}  // namespace millrace::match
