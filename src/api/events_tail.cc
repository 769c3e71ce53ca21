// GET /api/events/tail: the log as it grows, as server-sent events. Each event's `id` is its position, so a
// client that comes back with Last-Event-ID goes on after the last one it saw: no gaps, no duplicates.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <mutex>
#include <sstream>

#include "api/event_pages.h"
#include "api/event_view.h"
#include "api/events.h"
#include "api/query.h"
#include "api/reads.h"
#include "async/one_shot.h"
#include "base/limits.h"
#include "http/held_bytes.h"

namespace millrace::api {
namespace {

constexpr std::string_view kEventStream = "text/event-stream";
// Events read at a time: few until it shows that they are many and small.
constexpr std::size_t kPageMin = 16;
constexpr std::size_t kPageMax = 200;
constexpr std::size_t kPieceBytes = 1024 * 1024;  // written at once, about
// Proxies end connections that say nothing; and a peer that is gone is noticed by writing to it.
constexpr Millis kSilenceMax = std::chrono::seconds(15);
constexpr std::size_t kTypesMax = 50;

// Wakes a follower on its io thread when the log has grown, or when its key has been revoked.
class Growth {
 public:
  // Any thread.
  void tell(Position position) {
    const std::lock_guard lock(mutex_);
    if (position > last_) last_ = position;
    if (waiting_) std::exchange(waiting_, nullptr)->fulfil(true);
  }
  void tell_revoked() {
    const std::lock_guard lock(mutex_);
    revoked_ = true;
    if (waiting_) std::exchange(waiting_, nullptr)->fulfil(false);
  }

  // True when the log is longer than `seen`; false after `patience`, a revocation, or when `interrupt` is raised.
  static Async<bool> wait(std::shared_ptr<Growth> self, Position seen, Millis patience, async::Signal& interrupt) {
    async::OneShot<bool> woken;
    {
      const std::lock_guard lock(self->mutex_);
      if (std::exchange(self->revoked_, false)) co_return false;
      if (self->last_ > seen) co_return true;
      self->waiting_ = std::make_unique<async::OneShot<bool>::Sender>(woken.sender());
    }
    const std::optional<bool> grown = co_await woken.wait_until(async::Steady::now() + patience, &interrupt);
    const std::lock_guard lock(self->mutex_);
    self->waiting_.reset();
    co_return grown.value_or(false);
  }

 private:
  std::mutex mutex_;
  Position last_;
  bool revoked_ = false;
  std::unique_ptr<async::OneShot<bool>::Sender> waiting_;
};

// What a follower is sent, for as long as its key is valid and this node hears of what is added.
class Outlet {
 public:
  Outlet(Services& services, const Caller& caller, http::BodyStream& stream)
      : services_(services), caller_(caller), stream_(stream) {}

  // Peers who do not read keep what they were sent last: where that leaves no room, they are sent little at a time.
  void fit(store::LogPage& page) {
    const std::size_t bytes = shown_bytes(page);
    granted_ = stream_.has_room(bytes) ? kEstimateOff * bytes : 0;
    if (granted_ == 0) shorten(page, http::HeldBytes::kUncountedBytes / kEstimateOff);
  }

  // False: the peer has left, or has been told why it gets nothing more; write no more.
  Async<bool> write(std::string_view bytes) {
    const Result<void> goes_on = check(bytes.size());
    if (goes_on) co_return co_await stream_.write(bytes);
    co_await stream_.write(fmt::format("event: error\ndata: {}\n\n", http::error_response(goes_on.error()).body));
    co_return false;
  }

  // How long it may be silent.
  Millis patience() const {
    return std::clamp(caller_.expires.value_or(kNever) - services_.clock.now(), Millis(0), kSilenceMax);
  }

 private:
  Result<void> check(std::size_t bytes) const {
    if (bytes > granted_ && !stream_.has_room(bytes)) {
      return fail(
          Errc::unavailable,
          "followers who read slowly leave no memory for an event as large as the next one; connect again, with "
          "Last-Event-ID");
    }
    if (services_.engine.state() != engine::State::ready) {
      return fail(Errc::unavailable, "this node no longer owns the log; connect again, with Last-Event-ID");
    }
    return check_again(*services_.engine.catalog(), caller_, services_.clock.now());
  }

  // shown_bytes() knows about how much it is, and is never off by so much.
  static constexpr std::size_t kEstimateOff = 2;

  Services& services_;
  const Caller& caller_;
  http::BodyStream& stream_;
  std::size_t granted_ = 0;  // pieces of this size had room when they were read
};

struct Tail {
  ShardId shard;
  store::LogQuery query;
  event::Envelope format;
  bool resolve;  // large fields too
};

Result<std::uint64_t> parse_position(std::string_view text, std::string_view name) {
  std::uint64_t position = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), position);
  if (error != std::errc() || end != text.data() + text.size() || position > kIdMax) {
    return fail(Errc::bad_query, fmt::format("{} must be a position of the log, a whole number", name),
                std::string(name));
  }
  return position;
}

// Where a stream begins: after a position, which this parameter or header field gave.
struct Start {
  Position after;
  std::string field;
};

// nullopt: with what comes next.
Result<std::optional<Start>> read_start(const http::Request& request, const Query& query) {
  if (const auto last = request.header("Last-Event-ID"); last && !last->empty()) {
    const auto position = parse_position(*last, "Last-Event-ID");
    if (!position) return std::unexpected(position.error());
    return Start{Position{*position}, "Last-Event-ID"};
  }
  const auto from = query.text("from", 30);
  if (!from) return std::unexpected(from.error());
  if (!*from || **from == "latest") return std::nullopt;
  const auto position = parse_position(**from, "from");
  if (!position) return std::unexpected(position.error());
  return Start{Position{*position > 0 ? *position - 1 : 0}, "from"};
}

// A place beyond the end of the log is one of another log, as before a restore of a backup: whoever followed it has
// seen events that are no more, and would miss those that come instead of them.
Result<Position> place_in(Position last, const std::optional<Start>& start) {
  if (!start) return last;
  if (start->after <= last) return start->after;
  return fail(Errc::conflict,
              fmt::format("{} is beyond the end of the log, which ends at position {}: what was there before is gone; "
                          "take up what is there now, and follow from {}",
                          start->field, last.value, last.value + 1),
              start->field);
}

Result<std::vector<std::string>> read_types(const Query& query) {
  const auto text = query.text("type", kTypesMax * (limits::kEventTypeBytesMax + 1));
  if (!text) return std::unexpected(text.error());
  std::vector<std::string> types;
  std::istringstream list(text->value_or(""));
  for (std::string type; std::getline(list, type, ',');) {
    if (!type.empty()) types.push_back(type);
  }
  if (types.size() > kTypesMax) return fail(Errc::bad_query, fmt::format("at most {} types", kTypesMax), "type");
  return types;
}

std::string frame(const event::Record& record, event::Envelope format) {
  std::string text = fmt::format("id: {}\nevent: event\ndata: ", record.position.value);
  json::Writer out(text);
  write_event(out, record, format);
  return text += "\n\n";
}

// The events of a page, written in pieces: with their large fields they may be more than memory should hold. One whose
// blob has gone missing is shown as it is stored, with the reference, so that the stream goes on. False: see Outlet.
Async<bool> write_page(Services& services, const Tail& tail, std::vector<event::Record> page, Outlet& out) {
  std::string frames;
  for (event::Record& record : page) {
    if (tail.resolve && event::overflow_of(*record.rest)) {
      std::vector<event::Record> one{record};
      if (co_await resolve_events(services.blobs, one, LostBlob::shown)) record = std::move(one.front());
    }
    frames += frame(record, tail.format);
    record.rest.reset();
    if (frames.size() < kPieceBytes) continue;
    if (!co_await out.write(frames)) co_return false;
    frames.clear();
  }
  co_return frames.empty() || co_await out.write(frames);
}

// A tenant's events from the asked position on, until the peer leaves, its key ends or the server drains.
Async<> follow(Services& services, http::Request& request, Tail tail, http::BodyStream& stream) {
  auto growth = std::make_shared<Growth>();
  const auto watch = services.engine.watch_log(tail.query.tenant, [growth](Position last) { growth->tell(last); });
  const Caller& caller = caller_of(request);
  const KeyWatch key_watch(services.keys, caller.key, [growth] { growth->tell_revoked(); });
  Outlet out(services, caller, stream);
  // So that a client knows at once that it is connected, and from where: if the connection breaks before the first
  // event, it comes back to the same place.
  if (!co_await out.write(fmt::format(": following the event log\nid: {}\n\n", tail.query.after.value))) co_return;
  while (!request.interrupt.raised()) {
    tail.query.horizon = horizon_of(services);
    store::LogPage page =
        co_await read_range(services, [&store = services.engine.store(), shard = tail.shard, query = tail.query] {
          return follow_log_bounded(store, shard, query);
        });
    out.fit(page);
    tail.query.after = page.through;
    tail.query.limit = std::clamp(2 * page.events.size(), kPageMin, kPageMax);
    if (!co_await write_page(services, tail, std::move(page.events), out)) co_return;
    if (page.more) continue;
    const bool grown = co_await Growth::wait(growth, page.through, out.patience(), request.interrupt);
    if (grown || request.interrupt.raised()) continue;
    if (!co_await out.write(": still here\n\n")) co_return;
  }
}

}  // namespace

Async<Answer> tail_events(Services& services, http::Request& request) {
  const Query query(request.target.query);
  const Result<event::Envelope> format = read_format(request);
  if (!format) co_return std::unexpected(format.error());
  const auto start = read_start(request, query);
  if (!start) co_return std::unexpected(start.error());
  auto types = read_types(query);
  if (!types) co_return std::unexpected(types.error());
  const auto resolve = query.boolean("resolve");
  if (!resolve) co_return std::unexpected(resolve.error());
  const ShardId shard = shard_of_caller(services, request);

  const TenantId tenant = caller_of(request).tenant;
  Tail tail{.shard = shard,
            .query = {.tenant = tenant, .after = {}, .types = *std::move(types), .limit = kPageMin},
            .format = *format,
            .resolve = resolve->value_or(false)};
  const Position last = co_await read_point(
      services, [&store = services.engine.store(), shard, tenant] { return store.last_position(shard, tenant); });
  const Result<Position> place = place_in(last, *start);
  if (!place) co_return std::unexpected(place.error());
  tail.query.after = *place;
  request.watch_peer();
  http::Response response{.content_type = kEventStream};
  response.headers.emplace_back("Cache-Control", "no-cache");
  response.stream = [&services, &request, tail](http::BodyStream& stream) {
    return follow(services, request, tail, stream);
  };
  co_return response;
}

}  // namespace millrace::api
