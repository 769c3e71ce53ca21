#include "api/blobs.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/limits.h"
#include "base/log.h"

namespace millrace::api {
namespace {

// With a digest in it a key is taken only if the settings changed what is split off: two tries more are plenty.
constexpr int kKeysTried = 3;

std::optional<event::Overflow> split(const shard::NewEvent& event, const event::OverflowSettings& settings,
                                     std::string_view digest) {
  const bool by_source = event.identity == shard::NewEvent::Identity::source_and_id;
  const event::KeyMarks marks{.source = by_source ? std::string_view(event.header.source) : std::string_view(),
                              .digest = digest};
  return event::split_overflow(event.header, *event.rest, settings, marks);
}

// Other bytes may have the key: those of an event that this one repeats, or of one that was never appended.
void move_one(blob::BlobStore& store, const event::OverflowSettings& settings, const TenantId& tenant,
              shard::NewEvent& event) {
  std::string digest;
  for (int tried = 0; tried < kKeysTried; ++tried) {
    auto overflow = split(event, settings, digest);
    if (!overflow) return;  // it has none of the fields
    if (store.put(tenant, overflow->blob.key, overflow->payload) == blob::Put::stored) {
      event.rest = std::make_shared<const std::string>(std::move(overflow->rest));
      return;
    }
    digest = to_hex(sha256(overflow->payload + digest)).substr(0, 32);
  }
  throw Unavailable(fmt::format("no free key in the blob store for event {}", event.header.event_id));
}

Result<void> resolve_one(blob::BlobStore& store, event::Record& event, std::size_t& bytes) {
  const auto reference = event::overflow_of(*event.rest);
  if (!reference) return {};
  const auto payload = store.get(event.tenant, reference->key);
  if (!payload) {
    return fail(Errc::conflict, fmt::format("the payload of event {} is missing from the blob store: bucket {}, key {}",
                                            event.header.event_id, reference->bucket, reference->key));
  }
  bytes += payload->size();
  if (bytes > limits::kResolvedBytesMax) {
    return fail(Errc::too_large, fmt::format("these events are more than {} bytes together: ask for fewer (limit=)",
                                             limits::kResolvedBytesMax));
  }
  auto rest = event::resolve_overflow(*event.rest, *payload);
  if (!rest) {
    return fail(Errc::conflict, fmt::format("the payload of event {} in the blob store is damaged: bucket {}, key {}",
                                            event.header.event_id, reference->bucket, reference->key));
  }
  event.rest = std::make_shared<const std::string>(*std::move(rest));
  return {};
}

}  // namespace

BlobsAway::BlobsAway(const Unavailable& cause, const blob::BlobStore& store)
    : Unavailable(cause),
      told(fmt::format("the blob store cannot be used just now ({}); GET /healthz says why; try again",
                       store.report().place)) {}

async::Async<void> move_large_fields(Blobs& blobs, TenantId tenant, std::vector<shard::NewEvent>& events) {
  std::vector<shard::NewEvent*> large;
  for (shard::NewEvent& event : events) {
    if (event::size_of(event.header, *event.rest) > blobs.events.threshold_bytes) large.push_back(&event);
  }
  if (large.empty()) co_return;
  co_await run_on_blobs(blobs, [&blobs, &tenant, &large] {
    for (shard::NewEvent* event : large) move_one(blobs.store, blobs.events, tenant, *event);
  });
}

async::Async<Result<void>> resolve_events(Blobs& blobs, std::vector<event::Record>& events, LostBlob lost) {
  co_return co_await run_on_blobs(blobs, [&blobs, &events, lost]() -> Result<void> {
    std::size_t bytes = 0;
    for (event::Record& event : events) {
      auto done = resolve_one(blobs.store, event, bytes);
      if (done) continue;
      if (lost == LostBlob::refused || done.error().code != Errc::conflict) return done;
      spdlog::error(R"("msg":"an event is shown without its payload","why":{})", quoted(done.error().detail));
    }
    return {};
  });
}

}  // namespace millrace::api
