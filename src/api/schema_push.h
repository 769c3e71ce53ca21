// Many schemas at once, as `millrace schema push` sends them (S2.4): each becomes a version of its event type, or is
// refused with a reason. Pure: what is stored comes in, what it would become goes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "registry/event_type.h"

namespace millrace::api {

inline constexpr std::size_t kSchemasPerPushMax = 1000;
// The event types that a push changes, as they are stored, all together: they are written in one commit.
inline constexpr std::size_t kPushBytesMax = 64 * 1024 * 1024;

// One schema of a request; `type` has it as its only version.
struct PushedSchema {
  std::string label;  // the file's name, else "[2]"
  Result<registry::EventType> type;
  // The version of the type's document that the author has seen; 0: there must be none.
  std::optional<std::uint64_t> if_match = {};
};

// An array of {"file": "time_entry.created.v1.json", "text": "…"} and {"type", "version", "schema", …}, or one of
// them alone. Errc::invalid where the body is neither; what is wrong with one schema is said there. A file describes
// the whole envelope and is CURRENT; so is the other form for a JSON_SCHEMA unless it says otherwise. For PROTO a
// "type" of "order.packed#Order" names the message. Both forms may have "ifMatch".
Result<std::vector<PushedSchema>> read_push(json::Value body);

enum class PushOutcome : std::uint8_t { created, updated, unchanged };
std::string_view to_text(PushOutcome outcome);

// `present` with the version of `pushed` in it, if it may have it; what it says of the type itself stays. Refuses as
// registry/type_change.h does.
struct PushStep {
  registry::EventType type;
  PushOutcome outcome;
};
Result<PushStep> push_onto(const std::optional<registry::EventType>& present, const registry::EventType& pushed);

}  // namespace millrace::api
