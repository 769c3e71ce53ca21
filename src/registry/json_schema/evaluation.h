// One run of a Program over one value. On the stack of its caller; one thread. Bounded: nested checks by
// kNestedMax, all work together by the size of the value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "registry/json_schema/evaluated.h"
#include "registry/json_schema/program.h"
#include "registry/json_schema/schema.h"

namespace millrace::registry::json_schema {

class Evaluation {
 public:
  Evaluation(const Program& program, json::Value instance);

  // Stops at the first violation.
  bool run();
  // Goes on to the `limit`th one. At least one comes back where run() says false.
  std::vector<Violation> collect(std::size_t limit);

 private:
  // Resources that the evaluation is inside of, innermost first: what a $dynamicRef looks through.
  struct Scope {
    const Scope* outer;
    std::uint32_t resource;
  };
  // What the checks of one node share.
  struct Site {
    const Node& node;
    json::Value value;
    const Scope* scope;
    Evaluated* seen;  // nullptr: nobody asks
  };

  bool check(NodeId id, json::Value value, const Scope* scope, Evaluated* seen);
  bool check_rules(const Site& site);
  bool check_type(const Site& site);
  bool check_literals(const Site& site);
  bool check_number(const Site& site);
  bool check_string(const Site& site);
  bool check_array(const Site& site);
  bool check_elements(const Site& site);
  bool check_contains(const Site& site);
  bool check_object(const Site& site);
  bool check_members(const Site& site);
  bool check_member(const Site& site, const json::Member& member, std::string_view key, const PropertyRule* rule,
                    bool& evaluated);
  bool check_required(const Site& site, std::size_t missing);
  bool check_dependency(const Site& site, std::string_view key, const Dependency& dependency);
  bool check_in_place(const Site& site);
  bool check_any_of(const Site& site);
  bool check_one_of(const Site& site);
  bool check_condition(const Site& site);
  bool check_unevaluated_items(const Site& site);
  bool check_unevaluated_properties(const Site& site);

  // How many branches fit, at most 2.
  std::size_t count_fitting(const Site& site, const std::vector<NodeId>& branches);
  // As check_quietly() for what is only asked, not demanded: defaults do not stand in there.
  bool check_as_written(NodeId id, json::Value value, const Scope* scope, Evaluated* seen);
  bool may_be_missing(const PropertyRule& rule) const { return defaults_stand_in_ && rule.defaulted; }
  // Checks without a word about what fails.
  bool check_quietly(NodeId id, json::Value value, const Scope* scope, Evaluated* seen);
  // The same where it may fail: `seen` learns of it only on success.
  bool check_branch(NodeId id, const Site& site);
  NodeId bound(const DynamicRef& ref, const Scope* scope) const;

  bool collecting() const { return violations_ != nullptr; }
  // Notes the result and says whether to go on: after a failure only if all of them are wanted.
  bool go_on(bool passed, bool& all) const {
    all &= passed;
    return passed || collecting();
  }
  // Takes from the budget; false when it is used up.
  bool spend(std::uint64_t units);
  bool refuse(const Site& site, std::string_view keyword, std::string message);
  bool refuse_at(json::Value value, const Site& site, std::string_view keyword, std::string message);
  // Refuses a value that no branch takes, and says why where one of them was meant.
  bool refuse_branches(const Site& site, std::string_view keyword, const std::vector<NodeId>& branches,
                       std::string_view asked);
  // The types that a branch can take, as in Node::types.
  std::uint8_t admitted(NodeId id) const;

  const Program& program_;
  json::Value instance_;
  std::uint64_t budget_;
  int nested_ = 0;
  bool exhausted_ = false;
  bool defaults_stand_in_;
  std::vector<Violation>* violations_ = nullptr;
  std::size_t limit_ = 0;
};

}  // namespace millrace::registry::json_schema
