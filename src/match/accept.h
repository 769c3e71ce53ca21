// Whether a value of a flattened event meets a condition; the fast counterpart of reference_accepts(). Pure but
// for the buffer it is lent.
#pragma once

#include <string>
#include <string_view>

#include "match/condition.h"
#include "match/flatten.h"

namespace millrace::match {

// `folded` is overwritten.
bool accepts(const Condition& condition, const FlatLeaf& leaf, std::string& folded);

bool accepts_wildcard(const std::vector<std::string>& parts, std::string_view text);

// The nearest double of a leaf that is a number.
double nearest_of(const FlatLeaf& leaf);

}  // namespace millrace::match
