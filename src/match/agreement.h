// Array consistency: whether fields can be found in array elements that agree, that is, without two of them
// standing in different elements of one array. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "match/flatten.h"

namespace millrace::match {

// The elements in which something was found, in ascending order.
using Places = std::span<const ElementId>;

// An event that spells one field both dotted and nested, with arrays in both, makes a goal reachable through
// several arrays, and only then a choice may have to be taken back. So many fields are looked at in doing so, a few
// milliseconds' worth; then it is no match. docs/pattern-language.md tells it.
inline constexpr std::size_t kAgreementSteps = 100'000;

// Whether there is a choice of one place for each goal that agrees, with none of the absences agreeing with it.
bool can_agree(std::span<const Element> elements, std::vector<Places> goals, std::vector<Places> absences);

}  // namespace millrace::match
