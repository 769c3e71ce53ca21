// Good names for event types: facts in the past tense about a business entity (S2.3). Pure; whether a finding is
// only told or refuses the event is the tenant's mode.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace millrace::registry {

enum class NamingMode { off, warn, enforce };
enum class Convention {
  dotted,  // time_entry.created
  upper,   // TIME_ENTRY_CREATED
  colon,   // application:subdomain:time_entry:created
};

std::optional<NamingMode> parse_naming_mode(std::string_view text);
std::optional<Convention> parse_convention(std::string_view text);
std::string_view to_text(NamingMode mode);
std::string_view to_text(Convention convention);

enum class NamingRule {
  form,                   // not of the convention's form: segments, characters, case
  command,                // says what to do, not what happened
  past_tense,             // the action is not in the past tense
  ambiguous,              // a bare "changed"
  implementation_detail,  // about a database, not about the business
};
// "form", "command", "past-tense", "ambiguous", "implementation-detail".
std::string_view to_text(NamingRule rule);

struct NamingFinding {
  NamingRule rule;
  std::string message;
  std::string suggestion;  // a better name, with {…} where only a person can know; may be empty

  bool operator==(const NamingFinding&) const = default;
};

// The worst thing about the name, or nothing. The titles of the task workflow's own events (S0) are exempt, and
// `public.` before a dotted name is not part of it.
std::optional<NamingFinding> check_name(std::string_view type, Convention convention);

}  // namespace millrace::registry
