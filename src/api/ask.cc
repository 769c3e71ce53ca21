#include "api/ask.h"

#include <algorithm>

#include "api/access.h"
#include "base/limits.h"

namespace millrace::api {
namespace {

// The engine ends a wait by itself; this only bounds what would otherwise be a bug without end.
constexpr Millis kHeldMax = std::chrono::seconds(limits::kClaimWaitSecondsMax + 10);

}  // namespace

Async<shard::Reply> ask_held(Services& services, ShardId shard, shard::Command command, http::Request& request) {
  request.watch_peer();
  engine::Engine& engine = services.engine;
  const Caller& caller = caller_of(request);
  async::OneShot<shard::Reply> reply;
  const RequestId id = engine.submit(shard, std::move(command), reply.sender());
  // Told on the thread of who revokes: what he adds after his answer finds the wait ended.
  const KeyWatch watch(services.keys, caller.key, [&engine, shard, id] { engine.end_wait(shard, id); });
  if (!check_again(*engine.catalog(), caller, services.clock.now())) engine.end_wait(shard, id);
  const Millis held_max = std::min(kHeldMax, caller.expires.value_or(kNever) - services.clock.now());
  auto answer = co_await reply.wait_until(async::Steady::now() + held_max, &request.interrupt);
  if (answer) co_return *std::move(answer);
  engine.end_wait(shard, id);
  co_return co_await reply.wait();
}

}  // namespace millrace::api
