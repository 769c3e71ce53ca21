// A pattern that has been checked: a tree of conditions on fields. docs/pattern-language.md defines what it
// matches. Immutable, owns all it needs, so any thread may read it and the JSON it came from may go.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "match/condition.h"

namespace millrace::match {

enum class Dialect : std::uint8_t {
  eventbridge,  // what Amazon EventBridge accepts
  extended,     // besides that $and, $not, regex, numbers of any size, /32, lists of mixed values
};

// A part of a pattern.
struct Node {
  enum class Kind : std::uint8_t {
    field,  // the field at `path` meets one of `any_of`
    all,    // every child holds
    any,    // one child holds
    none,   // the only child does not match the event
  };

  Kind kind;
  std::string path = {};  // keys joined with dots; of `none`: where it stands
  std::vector<Condition> any_of = {};
  std::vector<Node> children = {};
};

class Pattern {
 public:
  // Errc::invalid with the place in the pattern ("detail.state[0].prefix") and what to do about it.
  static Result<Pattern> compile(json::Value pattern, Dialect dialect);

  const Node& root() const { return root_; }

 private:
  explicit Pattern(Node root) : root_(std::move(root)) {}

  Node root_;
};

}  // namespace millrace::match
