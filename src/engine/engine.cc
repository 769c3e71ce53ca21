#include "engine/engine.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <utility>

#include "base/log.h"
#include "engine/body_cache.h"
#include "engine/committer.h"
#include "engine/mail.h"
#include "engine/runner.h"

namespace millrace::engine {
namespace {

// The catalog, and what is looked up in it for every request.
struct Snapshot {
  Catalog catalog;
  absl::flat_hash_map<std::string, ShardId> shard_of;
  absl::flat_hash_map<std::string, std::uint64_t> versions;  // by tenant
};

std::optional<ShardId> placed_in(const shard::Document& tenant) {
  constexpr std::string_view kMember = "\"shard\":";
  const std::size_t at = tenant.body.find(kMember);
  if (at == std::string::npos) return std::nullopt;
  ShardId shard;
  const char* digits = tenant.body.data() + at + kMember.size();
  const auto [end, error] = std::from_chars(digits, tenant.body.data() + tenant.body.size(), shard.value);
  if (error != std::errc() || shard.value >= kTenantShards) return std::nullopt;
  return shard;
}

void apply(Snapshot& snapshot, const shard::Document& document, bool removed) {
  static std::atomic<std::uint64_t> changes = 0;
  snapshot.versions[document.tenant.text()] = ++changes;
  auto& kind = snapshot.catalog[document.kind];
  if (removed) {
    kind.erase(document.key);
  } else {
    kind.insert_or_assign(document.key, document);
  }
  if (document.kind != kTenantKind) return;
  const auto shard = removed ? std::nullopt : placed_in(document);
  if (shard) {
    snapshot.shard_of[document.key] = *shard;
  } else {
    snapshot.shard_of.erase(document.key);
  }
}

std::size_t body_bytes(const shard::Command& command) {
  std::size_t bytes = 256;  // what any command weighs
  if (const auto* create = std::get_if<shard::Create>(&command)) {
    for (const auto& item : create->items) bytes += item.body->payload.size() + 512;
  }
  if (const auto* append = std::get_if<shard::AppendEvents>(&command)) {
    for (const auto& event : append->events) bytes += (event.rest ? event.rest->size() : 0) + 1024;
  }
  if (const auto* settle = std::get_if<shard::Settle>(&command)) bytes += settle->outcomes.size() * 256;
  return bytes;
}

// Nothing is written for these, so they are answered also where nothing can be.
bool only_asks(const shard::Command& command) {
  return std::holds_alternative<shard::ListWorkers>(command) || std::holds_alternative<shard::ListLeased>(command) ||
         std::holds_alternative<shard::CountItems>(command);
}

}  // namespace

std::string_view state_name(State state) {
  constexpr std::string_view kNames[] = {"starting", "standby", "recovering", "ready", "stopped", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

struct Engine::Impl {
  Impl(store::Store& store_, const Clock& clock, const EngineOptions& options_, Broken broken_)
      : store(store_),
        options(options_),
        broken(std::move(broken_)),
        bodies(options_.body_cache_bytes),
        runner(store_, clock, options_, inbox,
               {.state = [this](State next) { state.store(next); },
                .recovered = [this](const std::vector<shard::Document>& documents) { recovered(documents); },
                .refuse = [this](Delivery&& delivery, const std::string& why) { refuse(std::move(delivery), why); },
                .held = [this](std::size_t bytes) { settle_pending(bytes); },
                .broken = [this](std::string why) { broken(std::move(why)); }}),
        committer(
            store_, inbox,
            {.durable = [this](const Group& group) { durable(group); },
             .deliver = [this](Delivery&& delivery) { deliver(std::move(delivery)); },
             .around = options_.around_deliveries,
             .refuse = [this](Delivery&& delivery, const std::string& why) { refuse(std::move(delivery), why); }}) {}

  void settle_pending(std::size_t bytes) {
    pending_commands.fetch_sub(1, std::memory_order_relaxed);
    pending_bytes.fetch_sub(bytes, std::memory_order_relaxed);
  }

  void deliver(Delivery&& delivery) {
    if (delivery.counted) settle_pending(delivery.bytes);
    if (delivery.done) delivery.done(std::move(delivery.reply));
  }

  void refuse(Delivery&& delivery, const std::string& why) {
    delivery.reply =
        Error{Errc::unavailable, fmt::format("not acknowledged: {}; it may or may not have happened", why)};
    deliver(std::move(delivery));
  }

  void recovered(const std::vector<shard::Document>& documents) {
    auto next = std::make_shared<Snapshot>();
    for (const shard::Document& document : documents) apply(*next, document, false);
    snapshot.store(std::move(next));
  }

  // Before the answers that tell of it; one group after the other.
  void durable(const Group& group) {
    std::shared_ptr<Snapshot> next;
    for (const shard::Batch& batch : group.batches) {
      for (const auto& write : batch.items) {
        if (write.body) bodies.keep(write.record.lane->queue, write.record.id, write.body);
      }
      for (const auto& write : batch.documents) {
        if (!next) next = std::make_shared<Snapshot>(*snapshot.load());
        apply(*next, write.document, write.removed);
      }
    }
    if (next) snapshot.store(std::move(next));
    log_watchers.tell(group.batches);
  }

  store::Store& store;
  EngineOptions options;
  Broken broken;
  BodyCache bodies;
  LogWatchers log_watchers;
  std::atomic<State> state = State::starting;
  std::atomic<std::uint64_t> last_request = 0;
  std::atomic<std::size_t> pending_commands = 0;
  std::atomic<std::size_t> pending_bytes = 0;
  std::atomic<std::shared_ptr<const Snapshot>> snapshot = std::make_shared<const Snapshot>();
  Inbox inbox;
  Runner runner;
  Committer committer;
  bool started = false;
};

Engine::Engine(store::Store& store, const Clock& clock, const EngineOptions& options, Broken broken)
    : impl_(std::make_unique<Impl>(store, clock, options, std::move(broken))) {}

Engine::~Engine() { stop(); }

void Engine::start() {
  impl_->started = true;
  impl_->runner.start(impl_->committer);
}

void Engine::drain() { impl_->inbox.put(DrainWanted{}); }

void Engine::stop() {
  if (!std::exchange(impl_->started, false)) return;
  impl_->runner.stop();
  impl_->committer.stop();  // its last answers may still be on their way out
  if (impl_->state.exchange(State::stopped) == State::failed) return;
  try {
    impl_->store.release();
  } catch (const std::exception& error) {
    spdlog::warn(R"("msg":"giving up ownership failed; a standby takes over later","why":{})", quoted(error.what()));
  }
}

RequestId Engine::submit(ShardId shard, shard::Command command, Done done) {
  const RequestId request{impl_->last_request.fetch_add(1, std::memory_order_relaxed) + 1};
  if (const State now = state(); now != State::ready) {
    done(Error{Errc::unavailable, fmt::format("not ready: {}; nothing was done", state_name(now))});
    return request;
  }
  const bool writes = !only_asks(command);
  if (const std::string_view why = impl_->store.unwritable(); writes && !why.empty()) {
    done(Error{Errc::unavailable, fmt::format("{}; nothing was done", why)});
    return request;
  }
  if (writes && impl_->store.congested()) {
    done(Error{Errc::unavailable, "the store is catching up with what it was given; nothing was done, try again"});
    return request;
  }
  const std::size_t bytes = body_bytes(command);
  if (impl_->pending_commands.load(std::memory_order_relaxed) >= impl_->options.pending_commands_max ||
      impl_->pending_bytes.load(std::memory_order_relaxed) >= impl_->options.pending_bytes_max) {
    done(Error{Errc::overloaded, "too many requests wait for the disk; nothing was done, try again"});
    return request;
  }
  impl_->pending_commands.fetch_add(1, std::memory_order_relaxed);
  impl_->pending_bytes.fetch_add(bytes, std::memory_order_relaxed);
  impl_->inbox.put(Call{shard, request, std::move(command), std::move(done), bytes});
  return request;
}

bool Engine::may_hold() const { return impl_->runner.has_parked(); }

void Engine::end_wait(ShardId shard, RequestId request) {
  const RequestId own{impl_->last_request.fetch_add(1, std::memory_order_relaxed) + 1};
  impl_->inbox.put(Call{shard, own, shard::EndWait{request}, {}, 0});
}

std::optional<ShardId> Engine::shard_of(const TenantId& tenant) const {
  const auto snapshot = impl_->snapshot.load();
  const auto found = snapshot->shard_of.find(tenant.text());
  if (found == snapshot->shard_of.end()) return std::nullopt;
  return found->second;
}

std::uint64_t Engine::catalog_version(const TenantId& tenant) const {
  const auto snapshot = impl_->snapshot.load();
  const auto found = snapshot->versions.find(tenant.text());
  return found == snapshot->versions.end() ? 0 : found->second;
}

std::shared_ptr<const Catalog> Engine::catalog() const {
  const auto snapshot = impl_->snapshot.load();
  return {snapshot, &snapshot->catalog};
}

std::shared_ptr<const queue::Body> Engine::cached_body(const queue::QueueKey& queue, ItemId id) {
  return impl_->bodies.find(queue, id);
}

void Engine::keep_body(const queue::QueueKey& queue, ItemId id, std::shared_ptr<const queue::Body> body) {
  impl_->bodies.keep(queue, id, std::move(body));
}

std::unique_ptr<LogWatch> Engine::watch_log(const TenantId& tenant, LogWatchers::Grown grown) {
  return impl_->log_watchers.add(tenant, std::move(grown));
}

store::Store& Engine::store() { return impl_->store; }

store::Horizon Engine::event_horizon(Time now) const { return impl_->options.event_horizon(now); }
State Engine::state() const {
  const State now = impl_->state.load();
  // The runner finds out a moment later.
  return now == State::ready && !impl_->store.owns() ? State::standby : now;
}

EngineNumbers Engine::numbers() const {
  return {.commits = impl_->committer.commits(),
          .commands = impl_->runner.commands(),
          .commit_failures = impl_->committer.failures(),
          .pending_commands = impl_->pending_commands.load(std::memory_order_relaxed),
          .live_items = impl_->runner.live_items(),
          .waiting_claims = impl_->runner.waiting_claims(),
          .clock_ahead = impl_->runner.clock_ahead(),
          .last_commit_seconds = impl_->committer.last_seconds(),
          .recovery_seconds = impl_->runner.recovery_seconds()};
}

}  // namespace millrace::engine
