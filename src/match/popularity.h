// How many candidates a field would bring in as the access of a branch; a guess that decides speed, never results.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>

#include "match/condition.h"
#include "match/path_trie.h"

namespace millrace::match {

class Popularity {
 public:
  // Call for every condition, before anything else.
  void count(FieldId field, const Condition& condition);
  // Then for every condition again.
  void weigh(FieldId field, const Condition& condition);

  // The lower, the better. An equal condition of many branches counts as often as it occurs; conditions that most
  // values meet count as the whole set.
  std::uint64_t cost(FieldId field, const Condition& condition) const;

  // Whether wildcards of the field have so much in common that this one is better found together with them than by one
  // of its parts.
  bool is_crowded(FieldId field, const Wildcard& wildcard) const;

  // Which part of a wildcard the fewest others have at its place (start, inside, end); the longest of those.
  std::size_t rarest_part(FieldId field, const Wildcard& wildcard) const;

 private:
  std::uint64_t count_of(std::uint64_t hash) const;
  std::uint64_t part_count(FieldId field, const Wildcard& wildcard, std::size_t part) const;
  std::uint64_t part_cost(FieldId field, const Wildcard& wildcard, std::size_t part) const;

  // The wildcards of a field that have several pieces.
  struct Crowd {
    std::uint64_t wildcards = 0;
    std::uint64_t candidates = 0;  // how many wildcards have its rarest part, of each
  };

  absl::flat_hash_map<std::uint64_t, std::uint32_t> counts_;  // by a hash of field and condition
  absl::flat_hash_map<FieldId, Crowd> crowds_;
  std::uint64_t total_ = 0;
};

}  // namespace millrace::match
