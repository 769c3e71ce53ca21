// Events that are past their time go; their ids stay known for the rest of the window.
#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "shard/event_rows.h"
#include "shard/impl.h"

namespace millrace::shard {
namespace {

bool is_past(const event::Record& record, Time now, std::optional<Time> received_before) {
  if (record.header.expires && *record.header.expires <= now) return true;
  return received_before && record.received < *received_before;
}

using Rows = absl::flat_hash_map<DedupKey, DedupRecord>;

Rows rows_of(const Facts* facts) {
  Rows rows;
  if (facts == nullptr) return rows;
  for (const auto& row : facts->dedup) {
    if (row) rows.emplace(row->key, *row);
  }
  return rows;
}

}  // namespace

std::optional<Need> Shard::Impl::run(Step& step, ExpireEvents& command) {
  std::erase_if(command.events, [&](const auto& event) { return !is_past(event, now, command.received_before); });
  const auto known_for = [&](const event::Record& event) {
    return std::max(now, event.received + options.event_id_window);
  };
  // Rows that were written to end in time end by themselves.
  Need need;
  for (const event::Record& event : command.events) {
    if (id_known_until(event.header, event.received, options.event_id_window) <= known_for(event)) continue;
    need.dedup.push_back(event_id_key(event.tenant, event.header));
    need.dedup.push_back(source_and_id_key(event.tenant, event.header));
  }
  if (!need.empty() && step.facts == nullptr) return need;

  const Rows rows = rows_of(step.facts);
  for (event::Record& event : command.events) {
    for (auto key : {event_id_key(event.tenant, event.header), source_and_id_key(event.tenant, event.header)}) {
      const auto row = rows.find(key);
      const bool outlives =
          row != rows.end() && row->second.made == event.position.value && row->second.expires > known_for(event);
      if (outlives) remember(std::move(key), event, known_for(event), step.effects);
    }
    step.effects.batch.event_drops.push_back({event.tenant, event.position, std::move(event.header)});
  }
  answer(step, Expired{command.events.size()});
  return std::nullopt;
}

}  // namespace millrace::shard
