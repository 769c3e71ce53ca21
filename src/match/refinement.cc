#include "match/refinement.h"

#include <algorithm>
#include <string_view>

namespace millrace::match {
namespace {

// The same as of a leaf with this value.
std::uint64_t hash_of_value(const Condition& condition) {
  if (const auto* number = std::get_if<NumberTest>(&condition.test)) return absl::HashOf(number->equal->nearest);
  if (const auto* constant = std::get_if<Constant>(&condition.test)) return absl::HashOf(constant->word);
  return absl::HashOf(std::string_view(std::get<TextTest>(condition.test).operand));
}

}  // namespace

bool is_exact(const Condition& condition) {
  const auto* text = std::get_if<TextTest>(&condition.test);
  if (text != nullptr) return text->shape == Shape::whole && !text->ignore_case;
  return std::holds_alternative<NumberTest>(condition.test) || std::holds_alternative<Constant>(condition.test);
}

void Refinement::add(PostingId list, FieldId field, const Condition& condition, BranchId branch, Postings& postings) {
  std::vector<FieldId>& fields = fields_[list];
  if (std::ranges::find(fields, field) == fields.end()) fields.push_back(field);
  const std::uint64_t key = key_of(list, field, hash_of_value(condition));
  const auto [entry, is_new] = lists_.try_emplace(key, Postings::kNone);
  if (is_new) entry->second = postings.make();
  postings.add(entry->second, branch);
}

}  // namespace millrace::match
