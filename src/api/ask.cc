#include "api/ask.h"

#include "base/limits.h"

namespace millrace::api {
namespace {

// The engine ends a wait by itself; this only bounds what would otherwise be a bug without end.
constexpr auto kHeldMax = std::chrono::seconds(limits::kClaimWaitSecondsMax + 10);

}  // namespace

Async<shard::Reply> ask_held(engine::Engine& engine, ShardId shard, shard::Command command, http::Request& request) {
  request.watch_peer();
  async::OneShot<shard::Reply> reply;
  const RequestId id = engine.submit(shard, std::move(command), reply.sender());
  auto answer = co_await reply.wait_until(async::Steady::now() + kHeldMax, &request.interrupt);
  if (answer) co_return *std::move(answer);
  engine.end_wait(shard, id);
  co_return co_await reply.wait();
}

}  // namespace millrace::api
