#include "api/tenants.h"

#include <fmt/format.h>

#include "api/ask.h"
#include "json/parse.h"
#include "json/value.h"
#include "json/writer.h"

namespace millrace::api {
namespace {

// Each round somebody else has changed the same tenant.
constexpr int kRoundsMax = 8;

shard::PutDocument put_tenant(const TenantId& tenant, const std::string& body, std::uint64_t expected_version,
                              const Asker& asker) {
  return {.kind = std::string(engine::kTenantKind),
          .key = tenant.text(),
          .tenant = tenant,
          .body = body,
          .expected_version = expected_version,
          .audit = {.tenant = tenant,
                    .actor = asker.actor,
                    .entity_type = "millrace.tenant",
                    .entity_id = tenant.text(),
                    .correlation_id = asker.correlation_id,
                    .values = body}};
}

shard::PutDocument registration(const TenantId& tenant, const Asker& asker, Time now) {
  const std::string body =
      fmt::format(R"({{"shard":{},"created":"{}"}})", initial_shard(tenant.text()).value, format_time(now));
  return put_tenant(tenant, body, 0, asker);
}

std::string text_member(json::Value body, std::string_view name) {
  const auto value = body.find(name);
  return value && value->is(json::Kind::string) ? value->get_string() : std::string();
}

// The document with the change in it. Every other member stays as it is, the shard above all.
std::string changed_body(const shard::Document& document, const TenantChange& change) {
  const auto old = json::parse(std::string_view(document.body));
  MR_ASSERT(old.has_value(), "the document of a tenant is JSON");
  std::string body;
  json::Writer out(body);
  out.begin_object();
  for (const auto& [key, value] : old->root().members()) {
    const std::string name = key.get_string();
    if ((name == "naming" && change.naming) || (name == "namingConvention" && change.convention)) continue;
    out.member(name, value);
  }
  if (change.naming) out.member("naming", registry::to_text(*change.naming));
  if (change.convention) out.member("namingConvention", registry::to_text(*change.convention));
  out.end_object();
  return body;
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
  tenant.naming = registry::parse_naming_mode(text_member(body->root(), "naming")).value_or(registry::NamingMode::off);
  tenant.convention =
      registry::parse_convention(text_member(body->root(), "namingConvention")).value_or(registry::Convention::dotted);
  tenant.version = document.version;
  return tenant;
}

}  // namespace

async::Async<Result<ShardId>> Tenants::shard_for(const TenantId& tenant, Asker asker) {
  if (const std::optional<ShardId> shard = engine_.shard_of(tenant)) co_return *shard;
  co_return co_await register_tenant(tenant, std::move(asker));
}

ShardId Tenants::shard_to_ask(const TenantId& tenant) const {
  return engine_.shard_of(tenant).value_or(initial_shard(tenant.text()));
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

async::Async<Result<Tenant>> Tenants::change(TenantId tenant, TenantChange change, Precondition precondition,
                                             Asker asker) {
  for (int round = 0; round < kRoundsMax; ++round) {
    const std::optional<shard::Document> present = find_document(tenant);
    if (!present) co_return fail(Errc::not_found, fmt::format("there is no tenant \"{}\"", tenant.text()));
    const Result<void> holds = precondition.check(present->version, fmt::format("tenant \"{}\"", tenant.text()));
    if (!holds) co_return std::unexpected(holds.error());
    const auto stored = co_await ask<shard::Document>(
        engine_, kSystemShard, put_tenant(tenant, changed_body(*present, change), present->version, asker));
    if (!stored && stored.error().code == Errc::stale_version) continue;
    if (!stored) co_return std::unexpected(stored.error());
    const std::optional<Tenant> made = from_document(*stored);
    MR_ASSERT(made.has_value(), "what was just written can be read");
    co_return *made;
  }
  co_return fail(Errc::stale_version, fmt::format("tenant \"{}\" is being changed by others", tenant.text()));
}

std::optional<shard::Document> Tenants::find_document(const TenantId& tenant) const {
  const std::shared_ptr<const engine::Catalog> catalog = engine_.catalog();
  const auto documents = catalog->find(engine::kTenantKind);
  if (documents == catalog->end()) return std::nullopt;
  const auto document = documents->second.find(tenant.text());
  return document == documents->second.end() ? std::nullopt : std::optional(document->second);
}

std::optional<Tenant> Tenants::find(const TenantId& tenant) const {
  const std::optional<shard::Document> document = find_document(tenant);
  return document ? from_document(*document) : std::nullopt;
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
