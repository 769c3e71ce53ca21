// Long lists of candidates, split by a second field: where many rules share their rarest value, a candidate must
// also have the exact value it wants elsewhere. Built once, then read by any thread.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/hash/hash.h>

#include <cstdint>
#include <vector>

#include "match/accept.h"
#include "match/condition.h"
#include "match/flatten.h"
#include "match/postings.h"

namespace millrace::match {

// Whether a value meets the condition exactly if it equals one value.
bool is_exact(const Condition& condition);

class Refinement {
 public:
  // Lists the branch for events in which `list` was found and `field` has the condition's value.
  // REQUIRES: is_exact(condition).
  void add(PostingId list, FieldId field, const Condition& condition, BranchId branch, Postings& postings);

  // Calls found(PostingId) for what `list` leads to in this event, perhaps twice for one.
  template <class Found>
  void find(PostingId list, const FlatEvent& event, Found found) const;

 private:
  static std::uint64_t key_of(PostingId list, FieldId field, std::uint64_t value) {
    return absl::HashOf(list, field, value);
  }
  static std::uint64_t hash_of(const FlatLeaf& leaf) {
    if (leaf.value.kind == json::Kind::number) return absl::HashOf(nearest_of(leaf));
    return absl::HashOf(leaf.value.text);
  }

  absl::flat_hash_map<PostingId, std::vector<FieldId>> fields_;  // by which a list is split
  // By a hash of list, field and value. If two are the same, there are more candidates, no more.
  absl::flat_hash_map<std::uint64_t, PostingId> lists_;
};

template <class Found>
void Refinement::find(PostingId list, const FlatEvent& event, Found found) const {
  if (fields_.empty()) return;
  const auto fields = fields_.find(list);
  if (fields == fields_.end()) return;
  for (const FieldId field : fields->second) {
    for (std::uint32_t i = event.first(field); i != FlatEvent::kNone; i = event.leaves()[i].next) {
      const auto entry = lists_.find(key_of(list, field, hash_of(event.leaves()[i])));
      if (entry != lists_.end()) found(entry->second);
    }
  }
}

}  // namespace millrace::match
