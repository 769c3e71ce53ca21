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
  void count(FieldId field, const Condition& condition);

  // The lower, the better. An equal condition of many branches counts as often as it occurs; conditions that most
  // values meet count as the whole set.
  std::uint64_t cost(FieldId field, const Condition& condition) const;

  // Which part of a wildcard the fewest others have at its place (start, inside, end); the longest of those.
  std::size_t rarest_part(FieldId field, const Wildcard& wildcard) const;

 private:
  std::uint64_t count_of(std::uint64_t hash) const;
  std::uint64_t part_cost(FieldId field, const Wildcard& wildcard, std::size_t part) const;

  absl::flat_hash_map<std::uint64_t, std::uint32_t> counts_;  // by a hash of field and condition
  std::uint64_t total_ = 0;
};

}  // namespace millrace::match
