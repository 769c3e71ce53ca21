#include "api/ask.h"

#include <algorithm>

#include "api/access.h"
#include "base/limits.h"

namespace millrace::api {
namespace {

// The engine ends a wait by itself; this only bounds what would otherwise be a bug without end.
constexpr Millis kHeldMax = std::chrono::seconds(limits::kClaimWaitSecondsMax + 10);
// So long nobody looks whether the caller of a claim that did not ask to wait is still there.
constexpr Millis kUnwatched = std::chrono::seconds(1);

}  // namespace

Async<shard::Reply> ask_held(Services& services, ShardId shard, shard::Command command, http::Request& request,
                             Asked asked) {
  engine::Engine& engine = services.engine;
  async::OneShot<shard::Reply> reply;
  const RequestId id = engine.submit(shard, std::move(command), reply.sender());
  if (asked == Asked::at_once) {
    auto soon = co_await reply.wait_until(async::Steady::now() + kUnwatched);
    if (soon) co_return *std::move(soon);
  }
  request.watch_peer();
  const Caller& caller = caller_of(request);
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
