// A rule of a bus (S2.8, S2.9): which events it takes, and where they go. Plain data with its JSON; matching is
// policies.h's, delivery is not here. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "json/object_reader.h"
#include "json/value.h"
#include "json/writer.h"
#include "match/pattern.h"

namespace millrace::intake {

inline constexpr std::size_t kRuleNameBytesMax = 64;
inline constexpr std::size_t kRuleDescriptionBytesMax = 1024;
// Each target is work for every event that matches.
inline constexpr std::size_t kTargetsPerRuleMax = 50;
inline constexpr std::size_t kUrlBytesMax = 2048;
inline constexpr std::size_t kTransformerPathsMax = 100;
inline constexpr std::size_t kTransformerPathBytesMax = 512;
inline constexpr std::size_t kTransformerTemplateBytesMax = 64 * 1024;
inline constexpr std::int64_t kTargetAttemptsMax = 1000;
// As long as dead letters are kept.
inline constexpr std::int64_t kTargetAgeSecondsMax = 14 * 24 * 3600;

enum class TargetType : std::uint8_t {
  webhook,  // url
  queue,    // queue: a pull queue of this tenant
  bus,      // bus: one of this tenant's; or url: another server that takes CloudEvents
  alert,    // url, else the server's own alert webhook
  handler,  // handler: its name in the process, else the target's id
};
std::string_view to_text(TargetType type);

struct TargetRetry {
  std::int64_t max_attempts = 3;  // retries after the first try
  std::int64_t max_age_seconds = 24 * 3600;
  std::int64_t initial_delay_ms = 1000;
  std::int64_t max_delay_ms = 60'000;

  bool operator==(const TargetRetry&) const = default;
};

// What is sent instead of the event: a text with <names>, and where in the event their values are.
struct InputTransformer {
  std::vector<std::pair<std::string, std::string>> paths;  // name, "$.detail.id"; in the order given
  std::string text;                                        // the template

  bool operator==(const InputTransformer&) const = default;
};

struct Target {
  std::string id;
  TargetType type = TargetType::webhook;
  // At most one of them, as the type says.
  std::string url;
  std::string queue;
  std::string bus;
  std::string handler;
  TargetRetry retry;
  std::optional<InputTransformer> transformer;
  bool dead_letter = true;  // keep what could not be delivered

  bool operator==(const Target&) const = default;
};

struct Rule {
  std::string name;
  std::string description;
  bool enabled = true;
  std::string bus;  // "" = events of every bus
  match::Dialect dialect = match::Dialect::eventbridge;
  std::string pattern;  // compact JSON that compiles in this dialect
  std::vector<Target> targets;

  bool operator==(const Rule&) const = default;
};

// Letters, digits, '.', '_' and '-', but not "test", which is a path of its own. Errc::invalid on field "name".
Result<void> check_rule_name(std::string_view name);

std::string_view to_text(match::Dialect dialect);
// The member "dialect" of a body; eventbridge where it is absent or null. Errc::invalid.
Result<match::Dialect> read_dialect(const json::ObjectReader& in);

// The pattern of a rule. Errc::invalid with its place in a body that has it under "pattern": "pattern.detail.id[0]".
// One that only the extended dialect has is told how to ask for it.
Result<match::Pattern> compile_pattern(json::Value pattern, match::Dialect dialect);

// The body of a PUT. Errc::invalid with the path of the field ("targets[1].retry.maxAttempts"), also for a field that
// no rule has: a misspelt setting must not be lost. What answers add (version, createdAt …) may be sent back.
Result<Rule> parse_rule(std::string_view name, json::Value body);
// The fields of `body` laid over `old`; what it leaves out stays, what it names null is as if it had never been given,
// `targets` is given whole.
Result<Rule> merge_rule(const Rule& old, json::Value body);
// As the catalog has it. A rule that was saved before rules named their dialect has the one that its pattern needs.
Result<Rule> parse_stored_rule(std::string_view name, json::Value body);

// The members of the rule's JSON object, without its braces.
void write_members(json::Writer& out, const Rule& rule);

}  // namespace millrace::intake
