// A pattern multiplied out: it matches if one of its branches does. Views into the pattern, which must outlive them.
#pragma once

#include <string>
#include <vector>

#include "match/pattern.h"

namespace millrace::match {

// A field with a value that meets one of the conditions; none of them is Absent.
struct Requirement {
  const std::string* path;
  std::vector<const Condition*> any_of;
};

// All of it together, with array elements that agree.
struct Branch {
  std::vector<Requirement> required;
  std::vector<const std::string*> absent;  // fields that must be missing where the required ones were found
  std::vector<const Node*> excluded;       // what must not match the event, looked at by itself
};

// At most kAlternativesMax, which compiling made sure of.
std::vector<Branch> branches_of(const Node& pattern);

}  // namespace millrace::match
