// GET /api/audit: what was changed, by whom, oldest first.
#include "api/admin.h"
#include "api/first_error.h"
#include "api/page.h"
#include "api/query.h"
#include "api/reads.h"
#include "base/bytes.h"
#include "base/digest.h"

namespace millrace::api {
namespace {

constexpr std::string_view kListing = "audit";
// With a filter, so many entries are looked at for one page; a page may then be short and still go on.
constexpr std::size_t kScannedMax = 10'000;

struct AuditPage {
  std::vector<shard::AuditRecord> items;
  std::optional<AuditSeq> last;  // set where there may be more
};

AuditPage read_audit(store::Store& store, const TenantId& tenant, AuditSeq after, std::size_t limit,
                     const std::string& entity_type) {
  AuditPage page;
  for (std::size_t scanned = 0; scanned < kScannedMax;) {
    const std::size_t wanted = limit + 1;
    std::vector<shard::AuditRecord> rows =
        store.audit(kSystemShard, {.tenant = tenant, .after = after, .limit = wanted});
    scanned += rows.size();
    for (shard::AuditRecord& row : rows) {
      if (page.items.size() == limit) {
        page.last = after;
        return page;
      }
      after = row.seq;
      if (entity_type.empty() || row.entity_type == entity_type) page.items.push_back(std::move(row));
    }
    if (rows.size() < wanted) return page;
  }
  page.last = after;
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

Result<AuditSeq> read_after(const Page& page) {
  if (!page.after) return AuditSeq{};
  if (page.after->size() != 8)
    return fail(Errc::bad_query, "query parameter \"cursor\" is none of this listing", "cursor");
  return AuditSeq{ByteReader(*page.after).u64_be()};
}

std::optional<std::string> cursor_bytes(const std::optional<AuditSeq>& last) {
  if (!last) return std::nullopt;
  std::string bytes;
  put_u64_be(bytes, last->value);
  return bytes;
}

}  // namespace

Async<Answer> list_audit(Services& services, http::Request& request) {
  FirstError error;
  const Page page = error.take(read_page(request, kListing));
  const auto entity_type = error.take(Query(request.target.query).text("entityType", 200));
  const AuditSeq after = error.take(read_after(page));
  if (error.failed()) co_return error.give();
  const AuditPage found = co_await read_range(
      services, [&store = services.engine.store(), tenant = caller_of(request).tenant, after, limit = page.limit,
                 type = entity_type.value_or("")] { return read_audit(store, tenant, after, limit, type); });
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
