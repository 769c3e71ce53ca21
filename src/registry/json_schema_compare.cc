// The walk over two JSON Schemas side by side.
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "registry/compared_place.h"
#include "registry/compatibility.h"
#include "registry/constraint_changes.h"
#include "registry/covered_fields.h"
#include "registry/flat_schema.h"

namespace millrace::registry {
namespace {

using json::Kind;
using json::Value;

// Nesting by references of references; what people write stays below twenty.
constexpr int kWalkDepthMax = 128;
// A rename is looked for among so many removed and added fields; beyond, they are only removed and added.
constexpr std::size_t kRenamesMax = 50;

using Parts = std::vector<Value>;  // the schemas of one property; more than one where allOf or references add some
using PropertyList = std::vector<std::pair<std::string, Parts>>;
using Properties = absl::flat_hash_map<std::string, Parts>;

// How an object or a tuple treats what its schema does not name.
enum class Rest { open, schema, closed };
Rest rest_of(const std::optional<Value>& value) {
  if (!value || (value->is(Kind::boolean) && value->get_bool())) return Rest::open;
  return value->is(Kind::boolean) ? Rest::closed : Rest::schema;
}

class Comparer {
 public:
  Comparer(Value old_root, Value new_root) : old_root_(old_root), new_root_(new_root) {}

  Comparison run() {
    compare(old_root_, new_root_, Place{});
    while (!open_.empty()) {
      const Pair next = std::move(open_.front());
      open_.pop_front();
      compare_now(next.was, next.is, next.place);
    }
    return std::move(result_);
  }

 private:
  struct Pair {
    Value was;
    Value is;
    Place place;
  };

  // Later, after all that stands less deep: of the many places of a recursive schema the first one is named.
  void compare(Value was, Value is, const Place& place);
  void compare_now(Value was, Value is, const Place& place);
  void compare_object(const FlatSchema& was, const FlatSchema& is, const Place& place);
  void compare_default(const FlatSchema& was, const FlatSchema& is, const Place& place);
  // What the old schema said of these fields without naming them.
  void compare_covered(const FlatSchema& was, const PropertyList& added, const Place& place);
  void compare_parts(const Parts& was, const Parts& is, const Place& place);
  void compare_required(const FlatSchema& was, const FlatSchema& is, const Properties& old_properties,
                        const Place& place);
  void compare_patterns(const FlatSchema& was, const FlatSchema& is, const Place& place);
  void compare_rest(const FlatSchema& was, const FlatSchema& is, std::string_view keyword, const Place& place);
  void compare_items(const FlatSchema& was, const FlatSchema& is, const Place& place);
  void compare_tuple(const std::vector<Value>& was, const std::vector<Value>& is, const Place& place);
  void compare_alternatives(const FlatSchema& was, const FlatSchema& is, std::string_view keyword, const Place& place);
  void add_alternative(Value added, const std::vector<Value>& others, std::string_view keyword, const Place& place);
  // Reports which removed field an added one seems to replace; true if there is one.
  bool pair_rename(const std::pair<std::string, Parts>& removed, const PropertyList& added, const Place& place);

  void report(const Place& place, ChangeKind kind, bool breaking, std::string message) {
    if (result_.changes.size() >= kChangesMax) return;
    result_.changes.push_back({place.pointer, kind, breaking, std::move(message)});
  }
  void report(const Place& place, std::vector<LocalChange> changes) {
    for (LocalChange& change : changes) {
      report(place.keyword(change.keyword), change.kind, change.breaking,
             fmt::format("{} {}", place.name(), change.what));
    }
  }

  Value old_root_;
  Value new_root_;
  Comparison result_;
  std::deque<Pair> open_;
  // A subschema is known by where it stands in its text. A pair that was compared is not compared again, which
  // is what ends recursive references.
  absl::flat_hash_set<std::pair<const char*, const char*>> seen_;
  absl::flat_hash_set<std::string> told_;     // pointers of defaults whose loss is reported by then
  absl::flat_hash_set<std::string> renamed_;  // pointers of added fields that took a removed one's place
};

void Comparer::compare(Value was, Value is, const Place& place) {
  if (!seen_.emplace(was.raw().data(), is.raw().data()).second) return;
  if (seen_.size() > kComparedPairsMax || place.depth > kWalkDepthMax) {
    if (seen_.size() <= kComparedPairsMax + 1) {
      report(place, ChangeKind::unclear, true, "the schemas are too large or too deep to compare");
    }
    return;
  }
  open_.push_back({was, is, place});
}

void Comparer::compare_now(Value was, Value is, const Place& place) {
  const auto old_flat = FlatSchema::of(old_root_, was);
  const auto new_flat = FlatSchema::of(new_root_, is);
  if (old_flat.accepts_nothing() || new_flat.accepts_nothing()) {
    if (old_flat.accepts_nothing() == new_flat.accepts_nothing()) return;
    const bool closed = new_flat.accepts_nothing();
    report(place, closed ? ChangeKind::tightened : ChangeKind::loosened, closed,
           fmt::format("{} is {} allowed", place.name(), closed ? "no longer" : "now"));
    return;
  }
  report(place, type_changes(old_flat, new_flat));
  report(place, value_changes(old_flat, new_flat));
  report(place, bound_changes(old_flat, new_flat));
  report(place, text_changes(old_flat, new_flat));
  compare_object(old_flat, new_flat, place);
  compare_items(old_flat, new_flat, place);
  for (const std::string_view keyword : {"anyOf", "oneOf"}) compare_alternatives(old_flat, new_flat, keyword, place);
  compare_default(old_flat, new_flat, place);
}

void Comparer::compare_default(const FlatSchema& was, const FlatSchema& is, const Place& place) {
  const auto before = was.find("default");
  const auto after = is.find("default");
  const Place here = place.keyword("default");
  if ((!before && !after) || told_.contains(here.pointer)) return;
  if (before && after && canonical_text(*before) == canonical_text(*after)) return;
  const std::string_view what = !after   ? "no longer has a default"
                                : before ? "has another default"
                                         : "has a default now";
  report(here, ChangeKind::default_changed, false, fmt::format("{} {}", place.name(), what));
}

void Comparer::compare_object(const FlatSchema& was, const FlatSchema& is, const Place& place) {
  const PropertyList old_list = was.property_parts();
  const PropertyList new_list = is.property_parts();
  const Properties old_properties(old_list.begin(), old_list.end());
  const Properties new_properties(new_list.begin(), new_list.end());
  PropertyList added;
  for (const auto& property : new_list) {
    if (!old_properties.contains(property.first)) added.push_back(property);
  }
  for (const auto& property : old_list) {
    const auto& [name, schemas] = property;
    const auto kept = new_properties.find(name);
    if (kept != new_properties.end()) {
      compare_parts(schemas, kept->second, place.property(name));
    } else if (!pair_rename(property, added, place)) {
      const Place gone = place.property(name);
      report(gone, ChangeKind::field_removed, true, fmt::format("{} was removed", gone.name()));
    }
  }
  const auto required = is.required();
  for (const auto& [name, schemas] : added) {
    const Place here = place.property(name);
    if (renamed_.contains(here.pointer) || std::ranges::find(required, name) != required.end()) continue;
    report(here, ChangeKind::field_added, false, fmt::format("{} was added", here.name()));
  }
  compare_covered(was, added, place);
  compare_required(was, is, old_properties, place);
  compare_patterns(was, is, place);
  compare_rest(was, is, "additionalProperties", place);
}

void Comparer::compare_covered(const FlatSchema& was, const PropertyList& added, const Place& place) {
  if (added.empty()) return;
  const CoveredFields covered(was);
  if (!covered.can_match(added.size())) {
    report(place.keyword("patternProperties"), ChangeKind::unclear, true,
           fmt::format("{} has too many patterns and new fields to compare", place.name()));
    return;
  }
  for (const auto& [name, schemas] : added) {
    const Place here = place.property(name);
    if (renamed_.contains(here.pointer)) continue;
    // Patterns go on holding beside the name, so that a schema which says nothing changes nothing.
    const Parts by_pattern = covered.by_pattern(name);
    const bool says_nothing = std::ranges::all_of(
        schemas, [&](Value schema) { return FlatSchema::of(new_root_, schema).accepts_everything(); });
    if (!by_pattern.empty()) {
      if (!says_nothing) compare_parts(by_pattern, schemas, here);
    } else if (const auto rest = covered.rest()) {
      compare_parts({*rest}, schemas, here);
    }
  }
}

void Comparer::compare_parts(const Parts& was, const Parts& is, const Place& place) {
  for (std::size_t i = 0; i < std::min(was.size(), is.size()); ++i) compare(was[i], is[i], place);
  if (was.size() == is.size()) return;
  report(place, ChangeKind::unclear, true,
         fmt::format("{} is described in {} places, not {}", place.name(), is.size(), was.size()));
}

bool Comparer::pair_rename(const std::pair<std::string, Parts>& removed, const PropertyList& added,
                           const Place& place) {
  if (added.size() > kRenamesMax) return false;
  const auto types = FlatSchema::of(old_root_, removed.second.front()).types();
  const std::string text = canonical_text(removed.second.front());
  const std::pair<std::string, Parts>* best = nullptr;
  for (const auto& candidate : added) {
    if (renamed_.contains(place.property(candidate.first).pointer)) continue;
    const bool same_text = canonical_text(candidate.second.front()) == text;
    const bool same_type = !types.empty() && FlatSchema::of(new_root_, candidate.second.front()).types() == types;
    if (same_text || (same_type && best == nullptr)) best = &candidate;
    if (same_text) break;
  }
  if (best == nullptr) return false;
  const Place from = place.property(removed.first);
  const Place to = place.property(best->first);
  renamed_.insert(to.pointer);
  report(from, ChangeKind::field_renamed, true,
         fmt::format("{} was removed; it seems to be {} now", from.name(), to.name()));
  return true;
}

void Comparer::compare_required(const FlatSchema& was, const FlatSchema& is, const Properties& old_properties,
                                const Place& place) {
  const auto old_names = was.required();
  const auto new_names = is.required();
  const absl::flat_hash_set<std::string> before(old_names.begin(), old_names.end());
  const absl::flat_hash_set<std::string> after(new_names.begin(), new_names.end());
  const auto old_insisted = was.insisted();
  const auto new_insisted = is.insisted();
  const absl::flat_hash_set<std::string> insisted_before(old_insisted.begin(), old_insisted.end());
  const absl::flat_hash_set<std::string> insisted(new_insisted.begin(), new_insisted.end());
  const PropertyList list = is.property_parts();
  const Properties properties(list.begin(), list.end());
  for (const std::string& name : new_names) {
    const Place here = place.property(name);
    if (renamed_.contains(here.pointer)) continue;
    const bool has_default = !insisted.contains(name);
    if (before.contains(name)) {
      if (has_default || insisted_before.contains(name)) continue;
      const Place lost = here.keyword("default");
      told_.insert(lost.pointer);
      report(lost, ChangeKind::default_changed, true,
             fmt::format("{} is required and no longer has a default", here.name()));
      continue;
    }
    report(here, ChangeKind::required_added, !has_default,
           fmt::format("{} is {}required now, with{} default", here.name(),
                       old_properties.contains(name) ? "" : "new and ", has_default ? " a" : "out a"));
  }
  for (const std::string& name : old_names) {
    if (after.contains(name) || !properties.contains(name)) continue;
    const Place here = place.property(name);
    report(here, ChangeKind::required_dropped, false, fmt::format("{} is no longer required", here.name()));
  }
}

void Comparer::compare_patterns(const FlatSchema& was, const FlatSchema& is, const Place& place) {
  const auto old_patterns = was.find("patternProperties");
  const auto new_patterns = is.find("patternProperties");
  if (old_patterns && old_patterns->is(Kind::object)) {
    for (const auto& [key, schema] : old_patterns->members()) {
      const std::string pattern = key.get_string();
      Place here = place.below("patternProperties", pattern);
      here.field = fmt::format("{}{}/{}/", place.field, place.field.empty() ? "" : ".", pattern);
      const auto kept = new_patterns ? new_patterns->find(pattern) : std::nullopt;
      if (kept) {
        compare(schema, *kept, here);
      } else {
        report(here, ChangeKind::field_removed, true, fmt::format("{} was removed", here.name()));
      }
    }
  }
  if (!new_patterns || !new_patterns->is(Kind::object)) return;
  for (const auto& [key, schema] : new_patterns->members()) {
    const std::string pattern = key.get_string();
    if (old_patterns && old_patterns->find(pattern)) continue;
    report(place.below("patternProperties", pattern), ChangeKind::tightened, true,
           fmt::format("fields of {} that match {} are limited now", place.name(), pattern));
  }
}

void Comparer::compare_rest(const FlatSchema& was, const FlatSchema& is, std::string_view keyword, const Place& place) {
  const auto old_value = was.find(keyword);
  const auto new_value = is.find(keyword);
  const Rest before = rest_of(old_value);
  const Rest after = rest_of(new_value);
  if (before == Rest::schema && after == Rest::schema) {
    Place here = place.keyword(keyword);
    here.field += ".*";
    ++here.depth;
    compare(*old_value, *new_value, here);
  } else if (before != after) {
    const bool tighter = after > before;
    report(place.keyword(keyword), tighter ? ChangeKind::tightened : ChangeKind::loosened, tighter,
           fmt::format("{} takes {} of what its schema does not name", place.name(), tighter ? "less" : "more"));
  }
}

// The schemas of the first elements of an array: prefixItems, or draft-07's items as a list.
std::vector<Value> tuple_of(const FlatSchema& schema) {
  const auto prefix = schema.find("prefixItems");
  return schema.elements(prefix && prefix->is(Kind::array) ? "prefixItems" : "items");
}

// The schema of the elements after those.
std::optional<Value> items_of(const FlatSchema& schema) {
  const auto items = schema.find("items");
  return items && items->is(Kind::array) ? schema.find("additionalItems") : items;
}

void Comparer::compare_items(const FlatSchema& was, const FlatSchema& is, const Place& place) {
  compare_tuple(tuple_of(was), tuple_of(is), place);
  const auto old_items = items_of(was);
  const auto new_items = items_of(is);
  const Place here = place.items();
  if (old_items && new_items) {
    compare(*old_items, *new_items, here);
  } else if (new_items && rest_of(new_items) != Rest::open) {
    report(here, ChangeKind::tightened, true, fmt::format("{} is limited now", here.name()));
  } else if (old_items && rest_of(old_items) != Rest::open) {
    report(here, ChangeKind::type_changed, true, fmt::format("{} can be anything now", here.name()));
  }
}

void Comparer::compare_tuple(const std::vector<Value>& was, const std::vector<Value>& is, const Place& place) {
  if (was.size() != is.size()) {
    report(place.keyword("prefixItems"), ChangeKind::unclear, true,
           fmt::format("{} describes {} first elements, not {}", place.name(), is.size(), was.size()));
  }
  for (std::size_t i = 0; i < std::min(was.size(), is.size()); ++i) {
    Place here = place.below("prefixItems", fmt::to_string(i));
    here.field += fmt::format("[{}]", i);
    compare(was[i], is[i], here);
  }
}

void Comparer::compare_alternatives(const FlatSchema& was, const FlatSchema& is, std::string_view keyword,
                                    const Place& place) {
  auto before = was.elements(keyword);
  auto after = is.elements(keyword);
  const std::vector<Value> all_before = before;
  if (before.empty() && after.empty()) return;
  if (before.empty() != after.empty()) {
    report(place.keyword(keyword), ChangeKind::unclear, true,
           fmt::format("{} has {} {}", place.name(), after.empty() ? "no longer" : "now", keyword));
    return;
  }
  // Equal texts belong together wherever they stand; what they refer to may still differ.
  absl::flat_hash_map<std::string, Value> by_text;
  for (const Value value : after) by_text.emplace(canonical_text(value), value);
  absl::flat_hash_set<std::string> paired;
  std::erase_if(before, [&](Value value) {
    const auto same = by_text.find(canonical_text(value));
    if (same == by_text.end()) return false;
    compare(value, same->second, place.keyword(keyword));
    paired.insert(same->first);
    return true;
  });
  std::erase_if(after, [&](Value value) { return paired.contains(canonical_text(value)); });
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    Place here = place.below(keyword, fmt::to_string(i));
    compare(before[i], after[i], here);
  }
  for (std::size_t i = after.size(); i < before.size(); ++i) {
    report(place.keyword(keyword), ChangeKind::value_removed, true,
           fmt::format("{} has one alternative less in {}", place.name(), keyword));
  }
  for (std::size_t i = before.size(); i < after.size(); ++i) add_alternative(after[i], all_before, keyword, place);
}

void Comparer::add_alternative(Value added, const std::vector<Value>& others, std::string_view keyword,
                               const Place& place) {
  // With oneOf, an old event that also fits the new alternative would match two and be refused.
  const auto apart = [&](Value other) {
    return FlatSchema::of(new_root_, other).unresolved().empty() && are_disjoint(new_root_, other, added);
  };
  const bool safe = keyword == "anyOf" || std::ranges::all_of(others, apart);
  report(place.keyword(keyword), safe ? ChangeKind::value_added : ChangeKind::unclear, !safe,
         fmt::format("{} has one alternative more in {}{}", place.name(), keyword,
                     safe ? "" : ", which may overlap with the others"));
}

}  // namespace

Comparison compare_json_schemas(Value old_schema, Value new_schema) { return Comparer(old_schema, new_schema).run(); }

}  // namespace millrace::registry
