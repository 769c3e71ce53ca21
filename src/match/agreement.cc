#include "match/agreement.h"

#include <algorithm>

namespace millrace::match {
namespace {

// The goals that stand in one array.
struct Extent {
  std::uint32_t array;
  std::vector<Places> goals;
};

class Agreement {
 public:
  explicit Agreement(std::span<const Element> elements) : elements_(elements) {}

  // REQUIRES: all places are `element` or inside it.
  bool within(ElementId element, std::vector<Places> goals, const std::vector<Places>& absences);

 private:
  bool through_arrays(ElementId element, const std::vector<Places>& goals, const std::vector<Places>& absences);
  bool in_one_element(const Extent& extent, ElementId outer, const std::vector<Places>& absences);
  // The element directly inside `outer` that holds `place`.
  ElementId child_of(ElementId outer, ElementId place) const;
  std::uint32_t array_of(ElementId outer, ElementId place) const { return elements_[child_of(outer, place)].array; }
  // The places of `from` that are `element` or inside it.
  Places inside(Places from, ElementId element) const;
  std::vector<Places> inside(const std::vector<Places>& from, ElementId element) const;
  // The first run of places that stand in one array inside `outer`. Elements of one array are neighbours.
  Places first_array(Places places, ElementId outer) const;

  // False once too many fields were looked at.
  bool spend(std::size_t fields) {
    steps_ -= std::min(steps_, fields);
    return steps_ > 0;
  }

  std::span<const Element> elements_;
  std::size_t steps_ = kAgreementSteps;  // left
  bool choosing_ = false;                // whether there was a choice that may be taken back: only then steps count
};

ElementId Agreement::child_of(ElementId outer, ElementId place) const {
  while (elements_[place].parent != outer) place = elements_[place].parent;
  return place;
}

Places Agreement::inside(Places from, ElementId element) const {
  const auto first = std::ranges::lower_bound(from, element);
  const auto last = std::ranges::lower_bound(first, from.end(), elements_[element].end);
  return {first, last};
}

std::vector<Places> Agreement::inside(const std::vector<Places>& from, ElementId element) const {
  std::vector<Places> kept;
  for (const Places places : from) {
    const Places here = inside(places, element);
    if (!here.empty()) kept.push_back(here);
  }
  return kept;
}

Places Agreement::first_array(Places places, ElementId outer) const {
  const std::uint32_t array = array_of(outer, places.front());
  const auto end =
      std::ranges::partition_point(places, [&](ElementId place) { return array_of(outer, place) == array; });
  return {places.begin(), end};
}

bool Agreement::within(ElementId element, std::vector<Places> goals, const std::vector<Places>& absences) {
  // Ascending order puts the element itself first; what is found there agrees with everything inside it.
  std::erase_if(goals, [&](Places places) { return places.front() == element; });
  if (std::ranges::any_of(absences, [&](Places places) { return places.front() == element; })) return false;
  if (goals.empty()) return absences.empty();

  for (Places& goal : goals) {
    const Places whole = goal;
    if (first_array(whole, element).size() == whole.size()) continue;
    for (Places rest = whole; !rest.empty();) {
      if (!spend(goals.size())) return false;
      choosing_ = true;
      goal = first_array(rest, element);
      rest = rest.subspan(goal.size());
      if (within(element, goals, absences)) return true;
    }
    return false;
  }
  return through_arrays(element, goals, absences);
}

// REQUIRES: each goal stands in one array. Arrays are independent of each other.
bool Agreement::through_arrays(ElementId element, const std::vector<Places>& goals,
                               const std::vector<Places>& absences) {
  std::vector<Extent> extents;
  for (const Places goal : goals) {
    const std::uint32_t array = array_of(element, goal.front());
    auto extent = std::ranges::find(extents, array, &Extent::array);
    if (extent == extents.end()) extent = extents.insert(extent, Extent{array, {}});
    extent->goals.push_back(goal);
  }
  // What must be missing but stands in an array of which no element was chosen is there.
  for (const Places places : absences) {
    for (Places rest = places; !rest.empty();) {
      const Places run = first_array(rest, element);
      const std::uint32_t array = array_of(element, run.front());
      if (std::ranges::find(extents, array, &Extent::array) == extents.end()) return false;
      rest = rest.subspan(run.size());
    }
  }
  return std::ranges::all_of(extents, [&](const Extent& extent) { return in_one_element(extent, element, absences); });
}

bool Agreement::in_one_element(const Extent& extent, ElementId outer, const std::vector<Places>& absences) {
  for (Places rest = extent.goals.front(); !rest.empty();) {
    if (choosing_ && !spend(extent.goals.size())) return false;
    const ElementId child = child_of(outer, rest.front());
    auto goals = inside(extent.goals, child);
    if (goals.size() == extent.goals.size() && within(child, std::move(goals), inside(absences, child))) return true;
    rest = rest.subspan(inside(rest, child).size());
  }
  return false;
}

}  // namespace

bool can_agree(std::span<const Element> elements, std::vector<Places> goals, std::vector<Places> absences) {
  if (std::ranges::any_of(goals, [](Places goal) { return goal.empty(); })) return false;
  std::erase_if(absences, [](Places places) { return places.empty(); });
  return Agreement(elements).within(0, std::move(goals), absences);
}

}  // namespace millrace::match
