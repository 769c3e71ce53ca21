// The pattern language in its plainest form: try every choice of values. Slow, and written apart from the rule
// set on purpose: it is what the rule set is compared with, and what explain asks. Pure.
#pragma once

#include <cstddef>
#include <optional>

#include "match/event_view.h"
#include "match/leaves.h"
#include "match/pattern.h"

namespace millrace::match {

// Whether one value meets one condition, by the letter of docs/pattern-language.md.
bool reference_accepts(const Condition& condition, const Scalar& value);

// Values that a search may look at, some ten milliseconds. Only arrays of objects make it try many choices; an event
// with several large ones would take hours.
inline constexpr std::size_t kReferenceSteps = 2'000'000;

// nullopt if looking at `steps` values was not enough to tell.
std::optional<bool> reference_matches(const Node& pattern, const Leaves& leaves, std::size_t steps = kReferenceSteps);
std::optional<bool> reference_matches(const Pattern& pattern, const EventView& event,
                                      std::size_t steps = kReferenceSteps);

}  // namespace millrace::match
