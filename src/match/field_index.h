// For one field: from a value to the branches that may want it. Every branch is listed under one of its fields
// only, its access; what comes out are candidates. Built once, then read by any thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "match/accept.h"
#include "match/address_table.h"
#include "match/condition.h"
#include "match/flatten.h"
#include "match/fold.h"
#include "match/interval_table.h"
#include "match/postings.h"
#include "match/regex_table.h"
#include "match/text_tables.h"
#include "match/wildcard_automaton.h"

namespace millrace::match {

// Buffers of one thread, for any field.
struct LookupScratch {
  std::string folded;
  std::vector<PostingId> regexes;
  WildcardScratch wildcards;
};

class FieldIndex {
 public:
  // For wildcards that are not to be found by one of their parts, but by all in one automaton.
  static constexpr std::size_t kAllParts = static_cast<std::size_t>(-1);

  // The list that values meeting the condition lead to. `part` is the one by which a wildcard is to be found.
  // REQUIRES: the condition outlives the index.
  PostingId list_for(const Condition& condition, std::size_t part, Postings& postings);
  // Call once, after the last list_for() and before the first find().
  void build();

  // Calls found(PostingId, Evidence), perhaps twice for one.
  template <class Found>
  void find(const FlatLeaf& leaf, LookupScratch& scratch, Found found) const;

 private:
  // Tables for texts, with their case or without.
  struct Texts {
    TextTable whole;
    AffixTable prefixes{Shape::prefix};
    AffixTable suffixes{Shape::suffix};

    PostingId& at(const TextTest& test);
    template <class Found>
    void find(std::string_view text, const Found& found) const;
  };
  // What fewer fields have.
  struct Rare {
    Texts folded;
    InfixTable infixes;
    WildcardAutomaton wildcards;
    AddressTable addresses;
    RegexTable regexes;
    IntervalTable ranges;
    bool has_folded = false;
    bool has_infixes = false;
    bool has_wildcards = false;
    bool has_addresses = false;
    bool has_regexes = false;
    bool has_ranges = false;
  };

  PostingId& slot_of(const Condition& condition, std::size_t part);
  PostingId& text_slot(const TextTest& test);
  PostingId& wildcard_slot(const Wildcard& wildcard, std::size_t part);
  Rare& rare();
  template <class Found>
  void find_rare(const FlatLeaf& leaf, LookupScratch& scratch, Found& found) const;

  PostingId any_ = Postings::kNone;                                                           // for every value
  std::array<PostingId, 3> constants_ = {Postings::kNone, Postings::kNone, Postings::kNone};  // null, false, true
  Texts texts_;
  absl::flat_hash_map<double, PostingId> numbers_;
  std::unique_ptr<Rare> rare_;
};

// The place of null, false and true among three.
inline std::size_t constant_number(std::string_view word) { return word == "null" ? 0 : word == "false" ? 1 : 2; }

template <class Found>
void FieldIndex::Texts::find(std::string_view text, const Found& found) const {
  const auto entry = whole.find(text);
  if (entry != whole.end()) found(entry->second);
  prefixes.find(text, found);
  suffixes.find(text, found);
}

template <class Found>
void FieldIndex::find(const FlatLeaf& leaf, LookupScratch& scratch, Found found_as) const {
  const auto found = [&](PostingId posting) { found_as(posting, Evidence::hint); };
  if (any_ != Postings::kNone) found(any_);
  switch (leaf.value.kind) {
    case json::Kind::string:
      texts_.find(leaf.value.text, found);
      break;
    case json::Kind::number:
      if (!numbers_.empty()) {
        const auto entry = numbers_.find(nearest_of(leaf));
        if (entry != numbers_.end()) found(entry->second);
      }
      break;
    default: {
      const PostingId constant = constants_[constant_number(leaf.value.text)];
      if (constant != Postings::kNone) found(constant);
    }
  }
  if (rare_) find_rare(leaf, scratch, found_as);
}

template <class Found>
void FieldIndex::find_rare(const FlatLeaf& leaf, LookupScratch& scratch, Found& found_as) const {
  const auto found = [&](PostingId posting) { found_as(posting, Evidence::hint); };
  if (leaf.value.kind == json::Kind::number && rare_->has_ranges) rare_->ranges.find(nearest_of(leaf), found);
  if (leaf.value.kind != json::Kind::string) return;
  const std::string_view text = leaf.value.text;
  if (rare_->has_folded) {
    fold_case(scratch.folded, text);
    rare_->folded.find(scratch.folded, found);
  }
  if (rare_->has_infixes) rare_->infixes.find(text, [&](PostingId posting, std::size_t) { found(posting); });
  if (rare_->has_wildcards) rare_->wildcards.find(text, scratch.wildcards, found_as);
  if (rare_->has_addresses) {
    if (const auto address = parse_address(text)) rare_->addresses.find(*address, found);
  }
  if (rare_->has_regexes) {
    scratch.regexes.clear();
    rare_->regexes.find(text, scratch.regexes);
    for (const PostingId posting : scratch.regexes) found(posting);
  }
}

}  // namespace millrace::match
