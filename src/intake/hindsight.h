// What a pattern or a schema would have said about an event that is stored already: the answer to "what would this
// change do?" before it is made. Pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "event/codec_snake.h"
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

// One schema, for many events.
class SchemaTrial {
 public:
  // Errc::invalid where the schema does not compile.
  static Result<SchemaTrial> of(const registry::SpecVersion& spec);
  // Pointers into the event as it is published: "/data/amount", or into the whole envelope.
  std::vector<registry::Violation> violations_of(const event::Record& record) const;

 private:
  SchemaTrial() = default;

  std::shared_ptr<const registry::PayloadValidator> validator_;
  registry::Describes describes_ = registry::Describes::data;
  event::TenantName tenant_name_ = event::TenantName::as_sent;
};

}  // namespace millrace::intake
