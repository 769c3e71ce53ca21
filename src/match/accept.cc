#include "match/accept.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "match/fold.h"

namespace millrace::match {
namespace {

bool accepts_text(const TextTest& test, std::string_view text, std::string& folded) {
  if (test.ignore_case) {
    fold_case(folded, text);
    text = folded;
  }
  switch (test.shape) {
    case Shape::whole:
      return text == test.operand;
    case Shape::prefix:
      return text.starts_with(test.operand);
    case Shape::suffix:
      return text.ends_with(test.operand);
  }
  return false;
}

// Digits are looked at only where doubles cannot tell.
std::strong_ordering compare(const FlatLeaf& leaf, const Number& number) {
  const double nearest = nearest_of(leaf);
  if (nearest < number.nearest) return std::strong_ordering::less;
  if (nearest > number.nearest) return std::strong_ordering::greater;
  if (leaf.value.text == number.source) return std::strong_ordering::equal;
  return Decimal(leaf.value.text) <=> number.exact;
}

bool accepts_range(const Interval& interval, const FlatLeaf& leaf) {
  if (interval.low) {
    const auto order = compare(leaf, interval.low->number);
    if (order < 0 || (order == 0 && !interval.low->inclusive)) return false;
  }
  if (!interval.high) return true;
  const auto order = compare(leaf, interval.high->number);
  return order < 0 || (order == 0 && interval.high->inclusive);
}

// One past the first place where the text has the literal, or npos. memmem() is linear, find() is not.
std::size_t end_of_first(std::string_view literal, std::string_view text) {
  const void* found = memmem(text.data(), text.size(), literal.data(), literal.size());
  if (found == nullptr) return text.npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + literal.size();
}

bool accepts_address(const AddressBlock& block, std::string_view text) {
  const auto address = parse_address(text);
  return address && block.contains(*address);
}

}  // namespace

double nearest_of(const FlatLeaf& leaf) {
  if (std::isnan(leaf.nearest)) leaf.nearest = Decimal::nearest(leaf.value.text);
  return leaf.nearest;
}

bool accepts_wildcard(const std::vector<std::string>& parts, std::string_view text) {
  if (parts.size() == 1) return text == parts.front();
  if (!text.starts_with(parts.front())) return false;
  text.remove_prefix(parts.front().size());
  if (!text.ends_with(parts.back())) return false;
  text.remove_suffix(parts.back().size());
  // The leftmost place for each part leaves the most room for the rest.
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    const std::size_t end = end_of_first(parts[i], text);
    if (end == text.npos) return false;
    text.remove_prefix(end);
  }
  return true;
}

bool accepts(const Condition& condition, const FlatLeaf& leaf, std::string& folded) {
  const Scalar& value = leaf.value;
  const bool text = value.kind == json::Kind::string;
  const bool number = value.kind == json::Kind::number;
  return std::visit(Overloaded{
                        [&](const Constant& test) { return !text && test.word == value.text; },
                        [&](const TextTest& test) { return text && accepts_text(test, value.text, folded); },
                        [&](const Wildcard& test) { return text && accepts_wildcard(test.parts, value.text); },
                        [&](const NumberTest& test) { return number && compare(leaf, *test.equal) == 0; },
                        [&](const RangeTest& test) { return number && accepts_range(*test.interval, leaf); },
                        [&](const AddressBlock& test) { return text && accepts_address(test, value.text); },
                        [&](const RegexTest& test) { return text && re2::RE2::FullMatch(value.text, *test.regex); },
                        [&](const Exists&) { return true; },
                        [&](const Absent&) { return false; },
                        [&](const AnythingBut& test) {
                          return std::ranges::none_of(test.excluded, [&](const Condition& excluded) {
                            return accepts(excluded, leaf, folded);
                          });
                        },
                    },
                    condition.test);
}

}  // namespace millrace::match
