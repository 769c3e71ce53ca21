// Why an event does or does not match one pattern, for people: the first field that fails, what the pattern
// wants there and what the event has. Pure; built on the reference matcher, so it is for single questions.
#pragma once

#include <string>
#include <vector>

#include "match/event_view.h"
#include "match/pattern.h"

namespace millrace::match {

struct Reason {
  std::string path;      // of the field, keys joined with dots; of a $not: its place in the pattern
  std::string expected;  // as the pattern says it
  std::string seen;      // the values as JSON, or "nothing"

  bool operator==(const Reason&) const = default;
};

struct Explanation {
  bool matches = false;
  // Empty if it matches. Otherwise the first failing field in the pattern's order; of an $or that fails, the
  // first failing field of every alternative.
  std::vector<Reason> why;
};

Explanation explain(const Pattern& pattern, const EventView& event);

}  // namespace millrace::match
