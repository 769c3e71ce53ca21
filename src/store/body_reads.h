// Bodies for claims. While items are claimed in the order of their numbers, one read fetches the bodies of the next
// ones too, and the one after it begins on a thread of its own before they are used up: draining a long queue neither
// asks the tables once a claim nor keeps a claim waiting for them. Any thread; who asks for what another thread is just
// fetching waits for it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include "queue/item.h"

namespace millrace::store {

class BodyReads {
 public:
  using BodyPtr = std::shared_ptr<const queue::Body>;

  // The bodies of these items, in this order; null where there is none. May throw. Called by several threads at once.
  using Fetch =
      std::function<std::vector<BodyPtr>(ShardId shard, const queue::QueueKey& queue, std::span<const ItemId> ids)>;

  // Not on an io thread, which may stay on one core: the thread started here would stay there too (docs/adr/0018).
  explicit BodyReads(Fetch fetch) : fetch_(std::move(fetch)) {}
  ~BodyReads();

  // See Store::bodies. What was fetched ahead is given out once.
  std::vector<BodyPtr> read(ShardId shard, const queue::QueueKey& queue, std::span<const ItemId> ids);
  // The same without a read: null where it was not fetched ahead. Does not wait.
  BodyPtr at_hand(ShardId shard, const queue::QueueKey& queue, ItemId id);
  // Items were dropped: nothing that was fetched ahead counts.
  void forget();

 private:
  // Ids [first, end).
  struct Span {
    ItemId first;
    ItemId end;
    bool holds(ItemId id) const { return first <= id && id < end; }
  };
  // Of one queue.
  struct Ahead {
    ItemId last_begin;            // where the last span begins
    ItemId end;                   // of what was fetched in order; 0: nothing was
    std::size_t step = kStepMax;  // how many to fetch
    std::vector<Span> under_way;
    absl::flat_hash_map<ItemId, BodyPtr> bodies;
  };
  using Name = std::pair<std::uint16_t, queue::QueueKey>;  // the shard and the queue
  // What the thread is to fetch.
  struct Wish {
    ShardId shard;
    queue::QueueKey queue;
    std::shared_ptr<Ahead> ahead;
    Span span;
  };

  static constexpr std::size_t kStepMax = 64;
  // Fewer are fetched at once where bodies are large.
  static constexpr std::size_t kStepBytes = std::size_t{256} << 10;
  // Of all that is fetched and not asked for yet.
  static constexpr std::size_t kBytesMax = std::size_t{8} << 20;
  static constexpr std::size_t kQueuesMax = 256;

  std::shared_ptr<Ahead> ahead_of(ShardId shard, const queue::QueueKey& queue);
  BodyPtr take(Ahead& ahead, ItemId id);
  void fetch_further(ShardId shard, const queue::QueueKey& queue, const std::shared_ptr<Ahead>& ahead, ItemId taken);
  void fetch_wishes();
  enum class Asked { none, first };
  BodyPtr fetch(std::unique_lock<std::mutex>& lock, ShardId shard, const queue::QueueKey& queue, Ahead& ahead,
                const Span& span, Asked asked);
  Span begin(Ahead& ahead, ItemId id, std::size_t count);
  void end(Ahead& ahead, const Span& span);
  void keep(Ahead& ahead, const Span& span, std::vector<BodyPtr>& bodies);
  void drop_all();

  Fetch fetch_;
  std::mutex mutex_;
  std::condition_variable fetched_;
  absl::flat_hash_map<Name, std::shared_ptr<Ahead>> ahead_;
  std::size_t bytes_ = 0;        // of all bodies in ahead_
  std::uint64_t forgotten_ = 0;  // how often
  std::deque<Wish> wishes_;
  std::condition_variable wished_;
  bool ends_ = false;
  std::thread thread_{[this] { fetch_wishes(); }};  // last: it uses the others
};

}  // namespace millrace::store
