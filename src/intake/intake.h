// Drafts in, events that can be appended out: normalise → validate → match. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "event/body.h"
#include "event/normalise.h"
#include "intake/policies.h"
#include "shard/command.h"

namespace millrace::intake {

struct Accepted {
  shard::NewEvent event;
  TenantId tenant;
  std::vector<std::string_view> rules;  // that match; names of the policies
  std::string warning;                  // for the sender; usually empty
};
using Verdict = std::expected<Accepted, Refusal>;

// Ten random bytes, for an event that brings no id.
using Random = std::function<std::array<std::uint8_t, 10>()>;

// Takes the drafts apart. The verdicts point into `policies`.
std::vector<Verdict> examine(event::Drafts& drafts, const event::Arrival& arrival, const Policies& policies,
                             const Random& random);

}  // namespace millrace::intake
