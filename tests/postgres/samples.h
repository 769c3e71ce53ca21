// Items and batches for tests of the PostgreSQL store, and a store on a database of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "postgres/test_cluster.h"
#include "shard/batch.h"
#include "store/postgres/postgres_store.h"

namespace millrace::test {

inline const Time kNoon = time_from_ms(1'700'000'000'123);
inline constexpr ShardId kShard{7};

queue::QueueKey sample_queue();
std::shared_ptr<const queue::LaneKey> sample_lane(std::vector<std::string> tags);

// A new PENDING item.
shard::ItemWrite new_item(std::uint64_t id, std::vector<std::string> tags = {"red"});
// The same item changed; `before` is what the store holds.
shard::ItemWrite changed(const queue::ItemRecord& before, const queue::ItemRecord& after);
// How an item looks once leased, once done.
queue::ItemRecord leased(queue::ItemRecord record);
queue::ItemRecord completed(queue::ItemRecord record);

shard::Batch batch_of(std::vector<shard::ItemWrite> items, ShardId shard = kShard);

// A store that never beats again after acquire(), so that a test decides when it counts as dead.
store::PostgresOptions quiet_node(const std::string& url, const std::string& node);
// Makes the nodes with this name look dead to others.
void let_expire(const std::string& url, const std::string& node);

// Waits until a query, which returns a boolean, says true. Aborts after half a minute.
void await_sql(const std::string& url, const std::string& condition);

void commit(store::Store& store, Epoch epoch, const shard::Batch& batch);
// REQUIRES: no other owner lives.
Epoch acquire(store::Store& store);
// The fate that a commit fails with; nullopt if it succeeds.
std::optional<store::Fate> fate_of_commit(store::Store& store, Epoch epoch, const shard::Batch& batch);
// The live items' ids of kShard, ascending.
std::vector<std::uint64_t> live_ids(store::Store& store);

}  // namespace millrace::test
