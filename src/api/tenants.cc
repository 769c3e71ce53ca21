#include "api/tenants.h"

#include <fmt/format.h>

#include "api/ask.h"
#include "json/parse.h"
#include "json/value.h"

namespace millrace::api {
namespace {

shard::PutDocument registration(const TenantId& tenant, const Asker& asker, Time now) {
  const std::string body =
      fmt::format(R"({{"shard":{},"created":"{}"}})", initial_shard(tenant.text()).value, format_time(now));
  return {.kind = std::string(engine::kTenantKind),
          .key = tenant.text(),
          .tenant = tenant,
          .body = body,
          .expected_version = 0,
          .audit = {.tenant = tenant,
                    .actor = asker.actor,
                    .entity_type = "millrace.tenant",
                    .entity_id = tenant.text(),
                    .correlation_id = asker.correlation_id,
                    .values = body}};
}

std::optional<Tenant> from_document(const shard::Document& document) {
  const auto body = json::parse(document.body);
  if (!body) return std::nullopt;
  const auto shard = body->root().find("shard");
  const auto created = body->root().find("created");
  const auto number = shard ? shard->as_int64() : std::nullopt;
  if (!number || *number < 0 || *number >= kTenantShards) return std::nullopt;
  Tenant tenant{
      .id = TenantId::trusted(document.key), .shard = ShardId{static_cast<std::uint16_t>(*number)}, .created = {}};
  if (created && created->is(json::Kind::string)) tenant.created = parse_time(created->get_string());
  return tenant;
}

}  // namespace

async::Async<Result<ShardId>> Tenants::shard_for(const TenantId& tenant, Asker asker) {
  if (const std::optional<ShardId> shard = engine_.shard_of(tenant)) co_return *shard;
  co_return co_await register_tenant(tenant, std::move(asker));
}

async::Async<Result<ShardId>> Tenants::register_tenant(TenantId tenant, Asker asker) {
  const Result<shard::Document> stored =
      co_await ask<shard::Document>(engine_, kSystemShard, registration(tenant, asker, clock_.now()));
  if (!stored && stored.error().code != Errc::stale_version) co_return std::unexpected(stored.error());
  if (const std::optional<ShardId> shard = engine_.shard_of(tenant)) co_return *shard;
  co_return fail(Errc::unavailable, "the tenant is being registered");
}

async::Async<Result<Tenant>> Tenants::create(TenantId tenant, Asker asker) {
  Result<shard::Document> stored =
      co_await ask<shard::Document>(engine_, kSystemShard, registration(tenant, asker, clock_.now()));
  if (!stored && stored.error().code == Errc::stale_version) {
    co_return fail(Errc::conflict, fmt::format("tenant \"{}\" exists already", tenant.text()));
  }
  if (!stored) co_return std::unexpected(std::move(stored.error()));
  const std::optional<Tenant> made = from_document(*stored);
  MR_ASSERT(made.has_value(), "what was just written can be read");
  co_return *made;
}

std::optional<Tenant> Tenants::find(const TenantId& tenant) const {
  const std::shared_ptr<const engine::Catalog> catalog = engine_.catalog();
  const auto documents = catalog->find(engine::kTenantKind);
  if (documents == catalog->end()) return std::nullopt;
  const auto document = documents->second.find(tenant.text());
  if (document == documents->second.end()) return std::nullopt;
  return from_document(document->second);
}

std::vector<Tenant> Tenants::list(const std::string& after, std::size_t limit) const {
  std::vector<Tenant> tenants;
  const std::shared_ptr<const engine::Catalog> catalog = engine_.catalog();
  const auto documents = catalog->find(engine::kTenantKind);
  if (documents == catalog->end()) return tenants;
  auto next = documents->second.upper_bound(after);
  for (; next != documents->second.end() && tenants.size() < limit; ++next) {
    if (const std::optional<Tenant> tenant = from_document(next->second)) tenants.push_back(*tenant);
  }
  return tenants;
}

}  // namespace millrace::api
