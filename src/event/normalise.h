// From a Draft to an event that can be accepted: fills in what the sender left out, checks what concerns more
// than one field, refuses what contradicts. Pure: time and randomness are arguments.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "event/draft.h"
#include "event/event.h"
#include "json/value.h"

namespace millrace::event {

// Whose events a caller may bring.
enum class Reach : std::uint8_t { own_tenant, every_tenant };

// What a request says about all of its events.
struct Arrival {
  TenantId tenant;  // the caller's
  Reach reach = Reach::own_tenant;
  Time now{};
  std::string correlation_id = {};  // for events that name none
};

// How the shard finds out that it has the event already, besides its deduplication id.
enum class Identity : std::uint8_t {
  event_id,       // the tenant has one event of this id
  source_and_id,  // CloudEvents: ids are unique within their source
  made_by_us,     // the id was made here: the event cannot be known
};

// An event without its place in the log. The json::Values are the Draft's.
struct NewEvent {
  TenantId tenant;
  Header header;
  std::shared_ptr<const std::string> rest;
  Envelope envelope = Envelope::native;
  Identity identity = Identity::made_by_us;
  std::string deduplication_id = {};  // empty: none
  std::string schema_version = {};    // empty: none
  std::optional<json::Value> data = {};
  std::optional<json::Value> audit = {};
  std::vector<Part> parts = {};
  bool reshaped = false;
};

// Errc::forbidden for a tenant that is not the caller's; Errc::invalid for a key that is not the computed one.
// `random` makes the event id if there is none.
Result<NewEvent> normalise(Draft draft, const Arrival& arrival, const std::array<std::uint8_t, 10>& random);

// Errc::invalid unless all belong to one tenant. REQUIRES: not empty.
Result<void> check_one_tenant(std::span<const NewEvent> events);

// The group in which consumers that want order get the event: the sender's, else that of its entity (S2.11).
std::string_view group_of(const Header& header);

}  // namespace millrace::event
