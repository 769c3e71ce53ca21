#include "store/postgres/blob_table.h"

#include "store/postgres/read_pool.h"
#include "store/postgres/records.h"

namespace millrace::store {
namespace {

using postgres::Connection;
using postgres::Params;
using postgres::Row;
using postgres::Rows;
using postgres::Statement;

// A connection of its own kind: it writes, and each statement is a transaction that waits for the disk.
constexpr char kSettings[] = "SET synchronous_commit = on; SET jit = off; SET enable_seqscan = off";

// By the primary key.
const Statement kPut = {"put_blob", R"sql(
INSERT INTO millrace.blobs (shard, tenant, key, written, bytes)
VALUES ($1::smallint, $2::text, $3::text, $4::timestamptz, $5::bytea)
ON CONFLICT (shard, tenant, key) DO UPDATE SET written = EXCLUDED.written
WHERE millrace.blobs.bytes = EXCLUDED.bytes)sql"};

const Statement kGet = {"get_blob", R"sql(
SELECT bytes FROM millrace.blobs WHERE shard = $1::smallint AND tenant = $2::text AND key = $3::text)sql"};

const Statement kRemove = {"remove_blob", R"sql(
DELETE FROM millrace.blobs
WHERE shard = $1::smallint AND tenant = $2::text AND key = $3::text AND written < $4::timestamptz)sql"};

const Statement kList = {"list_blobs", R"sql(
SELECT tenant, key, written FROM millrace.blobs
WHERE (shard, tenant, key) > ($1::smallint, $2::text, $3::text)
ORDER BY shard, tenant, key LIMIT $4::bigint)sql"};

// Where a tenant's blobs are filed; the same for ever, wherever the tenant itself lives.
ShardId shard_of(std::string_view tenant) { return initial_shard(tenant); }

Params of_blob(const TenantId& tenant, std::string_view key) {
  Params params;
  params.add(postgres::column(shard_of(tenant.text()))).add(tenant.text()).add(key);
  return params;
}

}  // namespace

// Every statement may run twice without harm, so the pool's second try after a lost connection is right here too.
struct BlobTable::Impl {
  postgres::ReadPool pool;
};

BlobTable::BlobTable(std::string url, std::size_t connections)
    : impl_(new Impl{
          .pool = postgres::ReadPool(
              {.url = std::move(url), .application_name = "millrace blobs", .settings = kSettings}, connections)}) {}
BlobTable::~BlobTable() = default;

bool BlobTable::put(const TenantId& tenant, std::string_view key, std::string_view bytes, Time now) {
  return impl_->pool.read([&](Connection& connection) {
    return connection.run(kPut, of_blob(tenant, key).add(now).add(bytes)).touched() == 1;
  });
}

std::optional<std::string> BlobTable::get(const TenantId& tenant, std::string_view key) {
  return impl_->pool.read([&](Connection& connection) -> std::optional<std::string> {
    const Rows rows = connection.run(kGet, of_blob(tenant, key));
    if (rows.size() == 0) return std::nullopt;
    Row row;
    rows.read(0, row);
    return row.text();
  });
}

void BlobTable::remove(const TenantId& tenant, std::string_view key, Time before) {
  impl_->pool.read(
      [&](Connection& connection) { return connection.run(kRemove, of_blob(tenant, key).add(before)).touched(); });
}

std::vector<BlobRow> BlobTable::list(const Place& place, std::size_t limit) {
  const std::int16_t shard = place.tenant.empty() ? std::int16_t{-1} : postgres::column(shard_of(place.tenant));
  return impl_->pool.read([&](Connection& connection) {
    Params params;
    params.add(shard).add(place.tenant).add(place.key).add(postgres::as_bigint(limit));
    const Rows rows = connection.run(kList, params);
    std::vector<BlobRow> found;
    Row row;
    for (int i = 0; i < rows.size(); ++i) {
      rows.read(i, row);
      TenantId tenant = TenantId::trusted(row.text());
      std::string key = row.text();
      found.push_back({std::move(tenant), std::move(key), row.time()});
    }
    return found;
  });
}

}  // namespace millrace::store
