#include "store/latest_time.h"

#include <algorithm>

namespace millrace::store {

std::optional<Time> latest_time(const shard::Batch& batch) {
  std::optional<Time> latest;
  const auto seen = [&](Time t) { latest = latest ? std::max(*latest, t) : t; };
  for (const auto& write : batch.items) {
    seen(write.record.updated);
    if (write.body != nullptr) seen(write.body->created);
  }
  for (const auto& write : batch.log) seen(write.entry.created);
  for (const auto& write : batch.documents) seen(write.document.updated);
  for (const auto& record : batch.audit) seen(record.time);
  for (const auto& record : batch.workers) seen(record.last_seen);
  for (const auto& event : batch.events) seen(event->received);
  return latest;
}

}  // namespace millrace::store
