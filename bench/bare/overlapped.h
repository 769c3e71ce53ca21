// Commits to a store as the server's committer does: one thread makes a group durable while another makes the one
// before it visible. One after the other on one thread, a store is slower than the server before it.
#pragma once

#include <memory>
#include <semaphore>

#include "engine/mail.h"
#include "store/store.h"

namespace millrace::bench {

class Overlapped {
 public:
  // The store outlives it.
  Overlapped(store::Store& store, Epoch epoch) : store_(store), epoch_(epoch) {}

  // Returns when the batch is durable. Throws as Store::persist() does; a batch that cannot be made visible ends the
  // program.
  void commit(shard::Batch batch);
  // Returns when everything is visible.
  void finish() { applier_.reset(); }

 private:
  // As many groups as the server lets be durable and not visible yet.
  static constexpr std::ptrdiff_t kUnfinishedMax = 2;

  store::Store& store_;
  Epoch epoch_;
  std::counting_semaphore<kUnfinishedMax> room_{kUnfinishedMax};
  std::unique_ptr<engine::JobThread> applier_ = std::make_unique<engine::JobThread>("apply");
};

}  // namespace millrace::bench
