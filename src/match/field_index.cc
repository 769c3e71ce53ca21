#include "match/field_index.h"

#include <algorithm>

namespace millrace::match {

PostingId& FieldIndex::Texts::at(const TextTest& test) {
  switch (test.shape) {
    case Shape::prefix:
      return prefixes.at(test.operand);
    case Shape::suffix:
      return suffixes.at(test.operand);
    case Shape::whole:
      break;
  }
  return whole.try_emplace(test.operand, Postings::kNone).first->second;
}

FieldIndex::Rare& FieldIndex::rare() {
  if (!rare_) rare_ = std::make_unique<Rare>();
  return *rare_;
}

PostingId& FieldIndex::text_slot(const TextTest& test) {
  if (!test.ignore_case) return texts_.at(test);
  rare().has_folded = true;
  return rare().folded.at(test);
}

PostingId& FieldIndex::wildcard_slot(const Wildcard& wildcard, std::size_t part) {
  if (part == kAllParts) {
    rare().has_wildcards = true;
    return rare().wildcards.at(wildcard);
  }
  const auto& parts = wildcard.parts;
  if (parts.size() == 1) return texts_.whole.try_emplace(parts.front(), Postings::kNone).first->second;
  if (part == 0) return texts_.prefixes.at(parts.front());
  if (part + 1 == parts.size()) return texts_.suffixes.at(parts.back());
  rare().has_infixes = true;
  return rare().infixes.at(parts[part]);
}

PostingId& FieldIndex::slot_of(const Condition& condition, std::size_t part) {
  return std::visit(Overloaded{
                        [&](const Constant& test) -> PostingId& { return constants_[constant_number(test.word)]; },
                        [&](const TextTest& test) -> PostingId& { return text_slot(test); },
                        [&](const Wildcard& test) -> PostingId& { return wildcard_slot(test, part); },
                        [&](const NumberTest& test) -> PostingId& {
                          return numbers_.try_emplace(test.equal->nearest, Postings::kNone).first->second;
                        },
                        [&](const AddressBlock& test) -> PostingId& {
                          rare().has_addresses = true;
                          return rare().addresses.at(test);
                        },
                        [&](const RegexTest& test) -> PostingId& {
                          rare().has_regexes = true;
                          return rare().regexes.at(*test.regex);
                        },
                        [&](const auto&) -> PostingId& { return any_; },
                    },
                    condition.test);
}

PostingId FieldIndex::list_for(const Condition& condition, std::size_t part, Postings& postings) {
  if (const auto* range = std::get_if<RangeTest>(&condition.test)) {
    const PostingId list = postings.make();
    rare().has_ranges = true;
    rare().ranges.add(*range->interval, list);
    return list;
  }
  PostingId& slot = slot_of(condition, part);
  if (slot == Postings::kNone) slot = postings.make();
  return slot;
}

void FieldIndex::build() {
  if (!rare_) return;
  if (rare_->has_ranges) rare_->ranges.build();
  if (rare_->has_regexes) rare_->regexes.build();
  if (rare_->has_wildcards) rare_->wildcards.build();
}

}  // namespace millrace::match
