// The sets of rules that are measured.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace millrace::bench {

struct RuleKind {
  const char* name;
  std::vector<std::string> patterns;
};

// Five rules for each operator, some of which match some events.
std::vector<RuleKind> rule_kinds();

// Rules of all kinds that each watch something of their own (a lot, an owner, a narrow range of prices), so that
// few match an event however many there are.
std::vector<std::string> own_rules(std::size_t count);

// Rules that share what they watch (streets, types, wide ranges of prices), so that matches grow with their number.
std::vector<std::string> shared_rules(std::size_t count);

// Two or three stars each, on one field, with parts that overlap.
std::vector<std::string> wildcard_rules(std::size_t count);

// Wildcards of up to twelve words in a and b, which a long text of these has in any order, and a c that it lacks.
std::vector<std::string> hostile_rules(std::size_t count);

}  // namespace millrace::bench
