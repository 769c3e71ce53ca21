// What a pattern or a schema would have said about an event that is stored already: the answer to "what would this
// change do?" before it is made. Pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "event/event.h"
#include "match/pattern.h"
#include "match/rule_set.h"
#include "registry/event_type.h"
#include "registry/validator.h"

namespace millrace::intake {

// One pattern, for many events.
class PatternTrial {
 public:
  // `bus`: "" = events of every bus.
  PatternTrial(std::shared_ptr<const match::Pattern> pattern, std::string bus);
  bool matches(const event::Record& record);

 private:
  std::shared_ptr<const match::RuleSet> rules_;
  std::string bus_;
  match::Scratch scratch_;
  std::vector<match::RuleId> found_;
};

// Pointers into the event as it is published: "/data/amount", or into the whole envelope.
std::vector<registry::Violation> violations_of(const event::Record& record, const registry::PayloadValidator& validator,
                                               registry::Describes describes);

}  // namespace millrace::intake
