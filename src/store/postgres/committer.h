// The commit path: one transaction a group, sent in one round trip, fenced by the epoch of the shards'
// lease rows. Owned by the store; used by one thread at a time.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/ids.h"
#include "shard/batch.h"
#include "store/postgres/connection.h"
#include "store/postgres/group_rows.h"
#include "store/postgres/row_types.h"

namespace millrace::store::postgres {

class Committer {
 public:
  // `instance`: who must hold the shards.
  Committer(Connection::Target target, std::string instance);

  // See Store::commit.
  void commit(Epoch epoch, std::span<const shard::Batch> group);
  // See Store::sweep.
  std::size_t sweep(Time now, std::size_t budget);
  // After ownership was taken again: nothing that was known before counts.
  void start_over();

 private:
  Connection& connection();
  void attempt(Epoch epoch, GroupRows& rows);
  void roll_back();
  void remember(const GroupRows& rows);

  Connection::Target target_;
  std::string instance_;
  std::unique_ptr<Connection> connection_;
  RowTypes row_types_;  // of connection_
  Written written_;     // by commits that succeeded
};

}  // namespace millrace::store::postgres
