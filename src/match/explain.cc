#include "match/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "json/escape.h"
#include "match/leaves.h"
#include "match/reference.h"
#include "match/rule_set.h"

namespace millrace::match {
namespace {

constexpr std::size_t kValuesShown = 5;
constexpr std::size_t kBytesShown = 200;

std::string as_json(const Scalar& value) {
  std::string out;
  if (value.kind == json::Kind::string) {
    json::append_string(out, value.text.substr(0, kBytesShown));
  } else {
    out = value.text.substr(0, kBytesShown);
  }
  if (value.text.size() > kBytesShown) out += "…";
  return out;
}

std::string seen_at(const std::string& path, const Leaves& leaves) {
  std::vector<const Leaf*> here;
  const Leaf* deeper = nullptr;
  for (const Leaf& leaf : leaves.all()) {
    if (leaf.path == path) here.push_back(&leaf);
    if (deeper == nullptr && leaf.path.starts_with(path + ".")) deeper = &leaf;
  }
  if (here.empty()) return deeper == nullptr ? "nothing" : "nothing but an object, with " + deeper->path;
  if (here.size() == 1) return as_json(here.front()->value);
  std::string list;
  for (std::size_t i = 0; i < std::min(here.size(), kValuesShown); ++i) {
    list += (i > 0 ? ", " : "") + as_json(here[i]->value);
  }
  return fmt::format("[{}{}]", list, here.size() > kValuesShown ? ", …" : "");
}

class Explainer {
 public:
  explicit Explainer(const Leaves& leaves) : leaves_(leaves) {}

  bool holds(const Node& node) const { return reference_matches(node, leaves_).value_or(false); }
  void add_reasons(const Node& node);
  std::vector<Reason> take() { return std::move(why_); }

 private:
  void add_conflict(const Node& all);
  void add_field(const Node& field, std::string_view remark);

  const Leaves& leaves_;
  std::vector<Reason> why_;
};

// REQUIRES: the node does not hold.
void Explainer::add_reasons(const Node& node) {
  switch (node.kind) {
    case Node::Kind::field:
      return add_field(node, "");
    case Node::Kind::none:
      why_.push_back({node.path, "no match of what stands there", "a match"});
      return;
    case Node::Kind::any:
      for (const Node& child : node.children) add_reasons(child);
      return;
    case Node::Kind::all: {
      const auto failing = std::ranges::find_if(node.children, [&](const Node& child) { return !holds(child); });
      if (failing == node.children.end()) return add_conflict(node);
      return add_reasons(*failing);
    }
  }
}

// Every field holds by itself, so it is the array elements that do not agree: names the field with which it starts.
void Explainer::add_conflict(const Node& all) {
  Node together{.kind = Node::Kind::all};
  for (const Node& child : all.children) {
    together.children.push_back(child);
    if (holds(together)) continue;
    const Node* field = &child;
    while (field->kind != Node::Kind::field && !field->children.empty()) field = &field->children.front();
    return add_field(*field, " in the same array element as the fields before it");
  }
}

void Explainer::add_field(const Node& field, std::string_view remark) {
  why_.push_back({field.path, describe(field.any_of) + std::string(remark), seen_at(field.path, leaves_)});
}

// Where the reference would take too long: the rule set knows whether, though not why.
Explanation verdict_alone(const Pattern& pattern, const EventView& event) {
  const auto rules = RuleSet::build({{0, std::make_shared<const Pattern>(pattern)}});
  Scratch scratch;
  std::vector<RuleId> matched;
  rules->match(event, scratch, matched);
  if (!matched.empty()) return {true, {}};
  return {false, {{"", "values in array elements that agree", "too many array elements to say which do not"}}};
}

}  // namespace

Explanation explain(const Pattern& pattern, const EventView& event) {
  const Leaves leaves(event);
  const auto verdict = reference_matches(pattern.root(), leaves);
  if (!verdict) return verdict_alone(pattern, event);
  if (*verdict) return {true, {}};
  Explainer explainer(leaves);
  explainer.add_reasons(pattern.root());
  return {false, explainer.take()};
}

}  // namespace millrace::match
