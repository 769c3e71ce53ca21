#include "match/reference.h"

#include <re2/re2.h>

#include <algorithm>

#include "match/fold.h"

namespace millrace::match {
namespace {

bool accepts_text(const TextTest& test, std::string_view value) {
  const std::string text = test.ignore_case ? folded(value) : std::string(value);
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

// Whether the parts from `part` on, with a star before each but the first, fill the whole text. Row by row:
// reachable[i] says that the parts so far can end at byte i.
bool accepts_wildcard(const Wildcard& test, std::string_view text) {
  std::vector<bool> reachable(text.size() + 1, false);
  reachable[0] = true;
  for (std::size_t part = 0; part < test.parts.size(); ++part) {
    const std::string& literal = test.parts[part];
    std::vector<bool> next(text.size() + 1, false);
    bool starred = false;
    for (std::size_t i = 0; i + literal.size() <= text.size(); ++i) {
      starred = starred || reachable[i];
      const bool start = part == 0 ? reachable[i] : starred;
      if (start && text.substr(i, literal.size()) == literal) next[i + literal.size()] = true;
    }
    reachable = std::move(next);
  }
  return reachable[text.size()];
}

bool accepts_range(const Interval& interval, const Decimal& number) {
  const auto& [low, high] = interval;
  if (low && (number < low->number.exact || (!low->inclusive && number == low->number.exact))) return false;
  return !high || number < high->number.exact || (high->inclusive && number == high->number.exact);
}

bool accepts_address(const AddressBlock& block, std::string_view text) {
  const auto address = parse_address(text);
  return address && block.contains(*address);
}

class Search {
 public:
  Search(const Leaves& leaves, std::size_t& steps) : leaves_(leaves), steps_(steps) {}

  bool holds(const Node& node) { return satisfy({&node}); }

 private:
  bool satisfy(std::vector<const Node*> pending);
  bool satisfy_field(const Node& field, const std::vector<const Node*>& pending);
  bool consistent(const Leaf& leaf) const;
  bool nothing_present();

  const Leaves& leaves_;
  std::size_t& steps_;  // left, one for each leaf looked at; 0 ends the search
  std::vector<const Leaf*> chosen_;
  std::vector<const std::string*> absent_;
};

// Whether the pending parts can be satisfied together with what was chosen so far.
bool Search::satisfy(std::vector<const Node*> pending) {
  if (pending.empty()) return nothing_present();
  const Node& node = *pending.back();
  pending.pop_back();
  switch (node.kind) {
    case Node::Kind::field:
      return satisfy_field(node, pending);
    case Node::Kind::all:
      for (const Node& child : node.children) pending.push_back(&child);
      return satisfy(std::move(pending));
    case Node::Kind::any:
      return std::ranges::any_of(node.children, [&](const Node& child) {
        auto with_child = pending;
        with_child.push_back(&child);
        return satisfy(std::move(with_child));
      });
    case Node::Kind::none:
      return !Search(leaves_, steps_).holds(node.children.front()) && satisfy(std::move(pending));
  }
  return false;
}

bool Search::satisfy_field(const Node& field, const std::vector<const Node*>& pending) {
  for (const Condition& condition : field.any_of) {
    if (std::holds_alternative<Absent>(condition.test)) {
      absent_.push_back(&field.path);
      const bool satisfied = satisfy(pending);
      absent_.pop_back();
      if (satisfied) return true;
      continue;
    }
    for (const Leaf& leaf : leaves_.all()) {
      if (steps_ == 0) return false;
      --steps_;
      if (leaf.path != field.path || !reference_accepts(condition, leaf.value) || !consistent(leaf)) continue;
      chosen_.push_back(&leaf);
      const bool satisfied = satisfy(pending);
      chosen_.pop_back();
      if (satisfied) return true;
    }
  }
  return false;
}

// No array around both the leaf and a chosen one has them in different elements.
bool Search::consistent(const Leaf& leaf) const {
  for (const Leaf* other : chosen_) {
    for (const Membership& mine : leaf.inside) {
      for (const Membership& theirs : other->inside) {
        if (mine.array == theirs.array && mine.element != theirs.element) return false;
      }
    }
  }
  return true;
}

bool Search::nothing_present() {
  if (absent_.empty()) return true;
  steps_ -= std::min(steps_, leaves_.all().size());
  return std::ranges::none_of(leaves_.all(), [&](const Leaf& leaf) {
    return std::ranges::any_of(absent_, [&](const std::string* path) { return *path == leaf.path; }) &&
           consistent(leaf);
  });
}

}  // namespace

bool reference_accepts(const Condition& condition, const Scalar& value) {
  const bool text = value.kind == json::Kind::string;
  const bool number = value.kind == json::Kind::number;
  return std::visit(
      Overloaded{
          [&](const Constant& test) { return !text && test.word == value.text; },
          [&](const TextTest& test) { return text && accepts_text(test, value.text); },
          [&](const Wildcard& test) { return text && accepts_wildcard(test, value.text); },
          [&](const NumberTest& test) { return number && Decimal(value.text) == test.equal->exact; },
          [&](const RangeTest& test) { return number && accepts_range(*test.interval, Decimal(value.text)); },
          [&](const AddressBlock& test) { return text && accepts_address(test, value.text); },
          [&](const RegexTest& test) { return text && re2::RE2::FullMatch(value.text, *test.regex); },
          [&](const Exists&) { return true; },
          [&](const Absent&) { return false; },
          [&](const AnythingBut& test) {
            return std::ranges::none_of(test.excluded,
                                        [&](const Condition& excluded) { return reference_accepts(excluded, value); });
          },
      },
      condition.test);
}

std::optional<bool> reference_matches(const Node& pattern, const Leaves& leaves, std::size_t steps) {
  const bool holds = Search(leaves, steps).holds(pattern);
  if (steps == 0) return std::nullopt;
  return holds;
}

std::optional<bool> reference_matches(const Pattern& pattern, const EventView& event, std::size_t steps) {
  return reference_matches(pattern.root(), Leaves(event), steps);
}

}  // namespace millrace::match
