#include "store/postgres/read_pool.h"

#include <fmt/format.h>

#include "store/store_error.h"

namespace millrace::store::postgres {
namespace {

// Every query is written for one index; a plan made from statistics of an emptier day would miss it.
constexpr char kSettings[] =
    "SET default_transaction_read_only = on; SET jit = off; SET plan_cache_mode = force_generic_plan;"
    "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;"
    "SET enable_sort = off; SET enable_incremental_sort = off";

constexpr int kTriesMax = 3;

}  // namespace

ReadPool::ReadPool(Connection::Target target, std::size_t connections_max)
    : target_(std::move(target)), connections_max_(connections_max) {
  if (target_.settings.empty()) target_.settings = kSettings;
}

std::unique_ptr<Connection> ReadPool::take() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [&] { return lent_ < connections_max_; });
  ++lent_;
  if (!idle_.empty()) {
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
  }
  lock.unlock();
  try {
    return std::make_unique<Connection>(target_);
  } catch (...) {
    give_back(nullptr, false);
    throw;
  }
}

void ReadPool::give_back(std::unique_ptr<Connection> connection, bool keep) {
  const std::lock_guard lock(mutex_);
  --lent_;
  if (keep) idle_.push_back(std::move(connection));
  returned_.notify_one();
}

void ReadPool::give_up_unless_worth_another_try(const SqlError& error, int tried) {
  if (error.lost()) {
    // The others are as old as this one: most likely the server restarted.
    const std::lock_guard lock(mutex_);
    idle_.clear();
  }
  const bool another_try = error.passing() || (error.lost() && tried == 1);
  if (!another_try || tried == kTriesMax) throw StoreError(Fate::not_done, fmt::format("PostgreSQL: {}", error.what()));
}

void ReadPool::say_broken(const char* why) {
  throw StoreError(Fate::broken, fmt::format("the tables in PostgreSQL were changed: {}", why));
}

}  // namespace millrace::store::postgres
