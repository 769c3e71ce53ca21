// The events of a group of batches as rows, ready to be sent, once or again.
#pragma once

#include "shard/batch.h"
#include "store/postgres/connection.h"
#include "store/postgres/portions.h"

namespace millrace::store::postgres {

class EventRows {
 public:
  EventRows();
  void add(const shard::Batch& batch);
  // Drops come after the rows of the same group.
  void send(Pipeline& pipeline, const RowTypes& types);

 private:
  void add_event(ShardId shard, const event::Record& record);

  RowPortions events_;
  Portions context_, dropped_events_, dropped_context_;
};

}  // namespace millrace::store::postgres
