// GET /api/audit: what was changed, by whom, oldest first (S2.12).
#include <algorithm>

#include "api/admin.h"
#include "api/first_error.h"
#include "api/page.h"
#include "api/query.h"
#include "api/reads.h"
#include "base/bytes.h"
#include "base/digest.h"
#include "base/limits.h"

namespace millrace::api {
namespace {

constexpr std::string_view kListing = "audit";
// With a filter, so many entries are looked at for one page; a page may then be short and still go on.
constexpr std::size_t kScannedMax = 10'000;
// Entries read at a time: few until it shows that they are small. One may have a document of a MiB, and what is read
// beyond the end of a page is read for nothing.
constexpr std::size_t kPieceMin = 8;
constexpr std::size_t kPieceMax = 100;
// A piece of more than this is followed by a small one.
constexpr std::size_t kPieceBytesMax = 1024 * 1024;
// Of a filter's text: no actor and no type of entity is longer.
constexpr std::size_t kFilterBytesMax = 200;

// Where a page ended. Tenants and keys are the system shard's, a tenant's documents its own shard's: two chains,
// shown as one list by time.
struct Marks {
  AuditSeq system;
  AuditSeq own;
};
struct AuditPage {
  std::vector<shard::AuditRecord> items;
  std::optional<Marks> last;  // set where there may be more
};

// Which entries are wanted; what is empty does not matter.
struct AuditFilter {
  std::optional<std::string> entity_type = {};
  std::optional<std::string> entity_id = {};
  std::optional<std::string> actor = {};
  std::optional<Time> from = {};  // inclusive
  std::optional<Time> to = {};    // exclusive; the chains end there

  bool wants(const shard::AuditRecord& entry) const {
    return (!entity_type || entry.entity_type == *entity_type) && (!entity_id || entry.entity_id == *entity_id) &&
           (!actor || entry.actor == *actor) && (!from || entry.time >= *from);
  }
};

// One chain up to `end`, read ahead a piece at a time. Its times never go back.
class Chain {
 public:
  Chain(store::Store& store, std::optional<ShardId> shard, TenantId tenant, AuditSeq after, Time end)
      : store_(store), shard_(shard), tenant_(std::move(tenant)), after_(after), end_(end) {}

  // The next entry; null at the end.
  const shard::AuditRecord* peek() {
    if (at_ == rows_.size() && shard_ && !ended_) read_piece();
    return at_ < rows_.size() && rows_[at_].time < end_ ? &rows_[at_] : nullptr;
  }
  // REQUIRES: peek() gave one.
  shard::AuditRecord take() {
    after_ = rows_[at_].seq;
    return std::move(rows_[at_++]);
  }
  AuditSeq mark() const { return after_; }

 private:
  // REQUIRES: there is a shard.
  void read_piece() {
    rows_ = store_.audit(*shard_, {.tenant = tenant_, .after = after_, .limit = piece_});
    at_ = 0;
    ended_ = rows_.size() < piece_;
    std::size_t bytes = 0;
    for (const shard::AuditRecord& row : rows_) bytes += row.values.size();
    piece_ = bytes > kPieceBytesMax ? kPieceMin : std::min(2 * piece_, kPieceMax);
  }

  store::Store& store_;
  std::optional<ShardId> shard_;
  TenantId tenant_;
  AuditSeq after_;
  Time end_;
  std::vector<shard::AuditRecord> rows_;
  std::size_t at_ = 0;
  std::size_t piece_ = kPieceMin;  // entries to read next
  bool ended_ = false;
};

struct AuditWish {
  TenantId tenant;
  std::optional<ShardId> shard;  // the tenant's
  Marks after;
  std::size_t limit;
  AuditFilter filter;
};

AuditPage read_audit(store::Store& store, const AuditWish& wish) {
  const Time end = wish.filter.to.value_or(kNever);
  Chain system(store, kSystemShard, wish.tenant, wish.after.system, end);
  Chain own(store, wish.shard, wish.tenant, wish.after.own, end);
  AuditPage page;
  std::size_t bytes = 0;
  for (std::size_t scanned = 0; scanned < kScannedMax && page.items.size() < wish.limit && bytes < kPageBytesMax;
       ++scanned) {
    const shard::AuditRecord* first = system.peek();
    const shard::AuditRecord* second = own.peek();
    if (first == nullptr && second == nullptr) return page;
    const bool from_own = first == nullptr || (second != nullptr && second->time < first->time);
    shard::AuditRecord row = from_own ? own.take() : system.take();
    if (!wish.filter.wants(row)) continue;
    bytes += row.values.size();
    page.items.push_back(std::move(row));
  }
  if (system.peek() != nullptr || own.peek() != nullptr) page.last = {system.mark(), own.mark()};
  return page;
}

void write_entry(json::Writer& out, const shard::AuditRecord& entry) {
  out.begin_object();
  out.member("seq", entry.seq);
  out.member("time", entry.time);
  out.member("actor", entry.actor);
  out.member("action", entry.action);
  out.member("entityType", entry.entity_type);
  out.member("entityId", entry.entity_id);
  out.member("correlationId", entry.correlation_id);
  out.raw_member("values", entry.values.empty() ? std::string_view("null") : std::string_view(entry.values));
  out.member("hash", to_hex(entry.hash));
  out.member("previousHash", to_hex(entry.previous_hash));
  out.end_object();
}

Result<Marks> read_after(const Page& page) {
  if (!page.after) return Marks{};
  if (page.after->size() != 16)
    return fail(Errc::bad_query, "query parameter \"cursor\" is none of this listing", "cursor");
  ByteReader bytes(*page.after);
  const AuditSeq system{bytes.u64_be()};
  return Marks{system, AuditSeq{bytes.u64_be()}};
}

std::optional<std::string> cursor_bytes(const std::optional<Marks>& last) {
  if (!last) return std::nullopt;
  std::string bytes;
  put_u64_be(bytes, last->system.value);
  put_u64_be(bytes, last->own.value);
  return bytes;
}

// A workspace is a tenant. Another than the caller's may be named by whom the tenant's header would allow it.
Result<TenantId> read_workspace(const Query& query, const Caller& caller) {
  const Result<std::optional<std::string>> named = query.text("workspaceId", kFilterBytesMax);
  if (!named) return std::unexpected(named.error());
  if (!*named) return caller.tenant;
  const std::optional<TenantId> tenant = TenantId::parse(**named);
  if (!tenant) return fail(Errc::bad_query, "query parameter \"workspaceId\" is no name of a tenant", "workspaceId");
  if (*tenant != caller.tenant && !caller.is_operator()) {
    return fail(Errc::forbidden, "naming another tenant needs scope \"operator\"", "workspaceId");
  }
  return *tenant;
}

Result<AuditFilter> read_filter(const Query& query) {
  FirstError error;
  AuditFilter filter;
  filter.entity_type = error.take(query.text("entityType", kFilterBytesMax));
  filter.entity_id = error.take(query.text("entityId", limits::kEntityIdBytesMax));
  filter.actor = error.take(query.text("actorId", kFilterBytesMax));
  filter.from = error.take(query.time("from"));
  filter.to = error.take(query.time("to"));
  if (error.failed()) return error.give();
  return filter;
}

}  // namespace

Async<Answer> list_audit(Services& services, http::Request& request) {
  const Query query(request.target.query);
  FirstError error;
  const Page page = error.take(read_page(request, kListing));
  AuditFilter filter = error.take(read_filter(query));
  const Marks after = error.take(read_after(page));
  if (error.failed()) co_return error.give();
  const Result<TenantId> tenant = read_workspace(query, caller_of(request));
  if (!tenant) co_return std::unexpected(tenant.error());
  AuditWish wish{.tenant = *tenant,
                 .shard = services.engine.shard_of(*tenant),
                 .after = after,
                 .limit = page.limit,
                 .filter = std::move(filter)};
  const AuditPage found = co_await read_range(
      services, [&store = services.engine.store(), wish = std::move(wish)] { return read_audit(store, wish); });
  co_return respond(200, [&](json::Writer& out) {
    out.begin_object();
    out.key("items");
    out.begin_array();
    for (const shard::AuditRecord& entry : found.items) write_entry(out, entry);
    out.end_array();
    write_next_cursor(out, kListing, cursor_bytes(found.last));
    out.end_object();
  });
}

}  // namespace millrace::api
