// Random batches as a shard could want them: legal moves of items that exist, and every other record.
#pragma once

#include <random>

#include "conformance/model.h"

namespace millrace::store::conformance {

class Workload {
 public:
  explicit Workload(std::uint64_t seed) : random_(seed) {}

  // A group of one batch for each shard in use, some empty. What it holds is already applied to model().
  std::vector<shard::Batch> next_group();
  ItemQuery random_query();
  Time now() const { return at(now_); }
  Time random_time() { return at(below(now_ + 100)); }

  Model& model() { return model_; }
  static std::vector<ShardId> shards();
  static std::vector<queue::QueueKey> queues();
  static ShardId shard_of(const queue::QueueKey& queue);

 private:
  std::int64_t below(std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random_); }
  bool one_in(std::int64_t n) { return below(n) == 0; }
  queue::QueueKey random_queue();
  std::vector<std::string> random_tags();

  void add_new_item(shard::Batch& batch, const queue::QueueKey& queue);
  void add_move(shard::Batch& batch);
  void add_drop(shard::Batch& batch);
  void add_records(shard::Batch& batch, const queue::QueueKey& queue);
  void drop_worker(shard::Batch& batch);
  queue::ItemRecord moved(queue::ItemRecord record);
  // Any item of the shard, as the model has it after what this batch did so far.
  std::optional<queue::ItemRecord> random_item(ShardId shard);

  std::mt19937_64 random_;
  Model model_;
  std::int64_t now_ = 0;
  std::uint64_t last_id_ = 0;
  std::uint64_t last_log_ = 0;
};

}  // namespace millrace::store::conformance
