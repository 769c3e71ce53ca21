// Questions to a shard, awaited on an io thread.
#pragma once

#include <utility>
#include <variant>

#include "api/services.h"
#include "async/async.h"
#include "async/one_shot.h"
#include "base/assert.h"
#include "base/result.h"
#include "engine/engine.h"
#include "http/request.h"
#include "shard/command.h"

namespace millrace::api {

using async::Async;

// The answer that a command of this kind gets, or why not.
template <class Answer>
Result<Answer> answer_of(shard::Reply reply) {
  if (auto* error = std::get_if<Error>(&reply)) return std::unexpected(std::move(*error));
  auto* answer = std::get_if<Answer>(&reply);
  MR_ASSERT(answer != nullptr, "each command has one kind of answer");
  return std::move(*answer);
}

// The engine answers every command, if only with `unavailable`; so this needs no deadline of its own.
template <class Answer>
Async<Result<Answer>> ask(engine::Engine& engine, ShardId shard, shard::Command command) {
  async::OneShot<shard::Reply> reply;
  engine.submit(shard, std::move(command), reply.sender());
  if (!reply.settled()) co_await reply.until_settled();
  co_return answer_of<Answer>(reply.take());
}

// Whether a claim asked to wait. One that did not may be held all the same, while parked items are read for it.
enum class Asked { to_wait, at_once };
// For a command with a claim that may be held: when the peer leaves, its key is revoked or expires, or the server
// drains, the wait is ended and the answer has what was leased until then. Of one that did not ask to wait, after a
// second: mostly it is not held at all.
Async<shard::Reply> ask_held(Services& services, ShardId shard, shard::Command command, http::Request& request,
                             Asked asked);

}  // namespace millrace::api
