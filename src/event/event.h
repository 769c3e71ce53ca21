// The one event that every envelope becomes, and the form in which it is stored. Plain data: codecs make
// it from bytes, the shard numbers it, the stores keep it. Everything a store indexes by is in the Header;
// the rest is JSON text that nothing between intake and answer needs to understand.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace millrace::event {

struct ContextPair {
  std::string key;
  std::string value;

  auto operator<=>(const ContextPair&) const = default;
};

// What an event is found by. Texts that the sender left out are empty; see draft.h for what fills them.
struct Header {
  std::string event_id;  // the sender's, else a UUIDv7; unique in its tenant
  std::string type;
  std::string source;
  std::string subject;
  std::string bus = "default";
  std::string correlation_id;
  std::string causation_id;
  std::string message_group;
  std::string app;          // whose timeline it is on: `app`, else `producer`, else `source`
  std::string entity_type;  // upper case: TASK, JOB, ORDER …
  std::string entity_id;
  Time time{};                            // when it happened, as the sender says; else when it was received
  std::optional<Time> expires = {};       // from `ttl`
  std::vector<ContextPair> context = {};  // contextData, searchable

  bool operator==(const Header&) const = default;
};

// An event in the log of its tenant.
struct Record {
  TenantId tenant;
  Position position;       // gapless in the tenant
  std::uint64_t tsid = 0;  // the public `id`, see format_tsid()
  Time received{};
  Header header;
  // The other members of the event as a JSON object: data, actor, metadata, extensions, schemaVersion and
  // whatever else a codec must give back. Compact, with the sender's own number and string tokens.
  std::shared_ptr<const std::string> rest;
};

}  // namespace millrace::event
