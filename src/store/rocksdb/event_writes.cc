#include "store/event_codec.h"
#include "store/rocksdb/event_entries.h"
#include "store/rocksdb/events.h"

namespace millrace::store::rocks {

void write_events(Database& database, rocksdb::WriteBatch& out, const shard::Batch& batch) {
  std::string value;
  for (const shard::EventPtr& event : batch.events) {
    value.clear();
    encode_event(value, *event);
    database.put(out, Table::events, event_key(batch.shard, event->tenant, event->position), value);
    for_each_entry(batch.shard, event->tenant, event->position, event->header,
                   [&](const std::string& key) { database.put(out, Table::event_index, key, {}); });
    if (!event->header.expires) continue;
    database.put(out, Table::event_expiry,
                 event_expiry_key(batch.shard, *event->header.expires, event->tenant, event->position), {});
  }
  for (const shard::EventDrop& drop : batch.event_drops) {
    database.erase(out, Table::events, event_key(batch.shard, drop.tenant, drop.position));
    for_each_entry(batch.shard, drop.tenant, drop.position, drop.header,
                   [&](const std::string& key) { database.erase(out, Table::event_index, key); });
    if (!drop.header.expires) continue;
    database.erase(out, Table::event_expiry,
                   event_expiry_key(batch.shard, *drop.header.expires, drop.tenant, drop.position));
  }
}

}  // namespace millrace::store::rocks
