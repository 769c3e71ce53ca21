// GET /api/events/tail: the log as it grows, as server-sent events. Each event's `id` is its position, so a
// client that comes back with Last-Event-ID goes on after the last one it saw: no gaps, no duplicates.
#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <mutex>
#include <sstream>

#include "api/event_view.h"
#include "api/events.h"
#include "api/query.h"
#include "api/reads.h"
#include "async/one_shot.h"
#include "base/limits.h"

namespace millrace::api {
namespace {

constexpr std::string_view kEventStream = "text/event-stream";
constexpr std::size_t kPage = 200;
constexpr std::size_t kPieceBytes = 1024 * 1024;  // written at once, about
// Proxies end connections that say nothing; and a peer that is gone is noticed by writing to it.
constexpr auto kSilenceMax = std::chrono::seconds(15);
constexpr std::size_t kTypesMax = 50;

// Wakes a follower on its io thread when the log has grown.
class Growth {
 public:
  // Any thread.
  void tell(Position position) {
    const std::lock_guard lock(mutex_);
    if (position > last_) last_ = position;
    if (waiting_) std::exchange(waiting_, nullptr)->fulfil(true);
  }

  // Ends when the log is longer than `seen`, after a while, or when `interrupt` is raised.
  static Async<> wait(std::shared_ptr<Growth> self, Position seen, async::Signal& interrupt) {
    async::OneShot<bool> grown;
    {
      const std::lock_guard lock(self->mutex_);
      if (self->last_ > seen) co_return;
      self->waiting_ = std::make_unique<async::OneShot<bool>::Sender>(grown.sender());
    }
    co_await grown.wait_until(async::Steady::now() + kSilenceMax, &interrupt);
    const std::lock_guard lock(self->mutex_);
    self->waiting_.reset();
  }

 private:
  std::mutex mutex_;
  Position last_;
  std::unique_ptr<async::OneShot<bool>::Sender> waiting_;
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

// After which position the stream begins; nullopt: with what comes next.
Result<std::optional<Position>> read_start(const http::Request& request, const Query& query) {
  if (const auto last = request.header("Last-Event-ID"); last && !last->empty()) {
    const auto position = parse_position(*last, "Last-Event-ID");
    if (!position) return std::unexpected(position.error());
    return Position{*position};
  }
  const auto from = query.text("from", 30);
  if (!from) return std::unexpected(from.error());
  if (!*from || **from == "latest") return std::nullopt;
  const auto position = parse_position(**from, "from");
  if (!position) return std::unexpected(position.error());
  return Position{*position > 0 ? *position - 1 : 0};
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
// blob has gone missing is shown as it is stored, with the reference, so that the stream goes on. False: the peer left.
Async<bool> write_page(Services& services, const Tail& tail, std::vector<event::Record> page,
                       http::BodyStream& stream) {
  std::string frames;
  for (event::Record& record : page) {
    if (tail.resolve && event::overflow_of(*record.rest)) {
      std::vector<event::Record> one{record};
      if (co_await resolve_events(services.blobs, one)) record = std::move(one.front());
    }
    frames += frame(record, tail.format);
    record.rest.reset();
    if (frames.size() < kPieceBytes) continue;
    if (!co_await stream.write(frames)) co_return false;
    frames.clear();
  }
  co_return frames.empty() || co_await stream.write(frames);
}

// A tenant's events from the asked position on, until the peer leaves or the server drains.
Async<> follow(Services& services, http::Request& request, Tail tail, http::BodyStream& stream) {
  auto growth = std::make_shared<Growth>();
  const auto watch = services.engine.watch_log(tail.query.tenant, [growth](Position last) { growth->tell(last); });
  // So that a client knows at once that it is connected, and from where: if the connection breaks before the first
  // event, it comes back to the same place.
  if (!co_await stream.write(fmt::format(": following the event log\nid: {}\n\n", tail.query.after.value))) co_return;
  while (!request.interrupt.raised()) {
    tail.query.now = services.clock.now();
    store::LogPage page = co_await read_range(services, [&store = services.engine.store(), shard = tail.shard,
                                                         query = tail.query] { return store.event_log(shard, query); });
    tail.query.after = page.through;
    if (!co_await write_page(services, tail, std::move(page.events), stream)) co_return;
    if (page.more) continue;
    const auto before = async::Steady::now();
    co_await Growth::wait(growth, page.through, request.interrupt);
    const bool silent = async::Steady::now() - before >= kSilenceMax;
    if (silent && !co_await stream.write(": still here\n\n")) co_return;
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
  const Result<ShardId> shard = co_await shard_of_caller(services, request);
  if (!shard) co_return std::unexpected(shard.error());

  const TenantId tenant = caller_of(request).tenant;
  Tail tail{.shard = *shard,
            .query = {.tenant = tenant, .after = {}, .types = *std::move(types), .limit = kPage},
            .format = *format,
            .resolve = resolve->value_or(false)};
  tail.query.after =
      *start ? **start : co_await read_point(services, [&store = services.engine.store(), shard = *shard, tenant] {
        return store.last_position(shard, tenant);
      });
  request.watch_peer();
  http::Response response{.content_type = kEventStream};
  response.headers.emplace_back("Cache-Control", "no-cache");
  response.stream = [&services, &request, tail](http::BodyStream& stream) {
    return follow(services, request, tail, stream);
  };
  co_return response;
}

}  // namespace millrace::api
