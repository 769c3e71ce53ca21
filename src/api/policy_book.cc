#include "api/policy_book.h"

#include <utility>

#include "intake/documents.h"
#include "json/parse.h"

namespace millrace::api {
namespace {

std::vector<intake::Source> sources_of(const engine::Catalog& catalog, std::string_view kind, const TenantId& tenant) {
  std::vector<intake::Source> sources;
  const auto documents = catalog.find(kind);
  if (documents == catalog.end()) return sources;
  const std::string prefix = intake::document_key(tenant, "");
  for (auto at = documents->second.lower_bound(prefix); at != documents->second.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    sources.push_back({intake::name_in_key(at->first), at->second.body});
  }
  return sources;
}

std::string member_of(const json::Document& document, std::string_view name) {
  const auto value = document.root().find(name);
  return value && value->is(json::Kind::string) ? value->get_string() : std::string();
}

// Part of the tenant's own document.
void read_naming(const engine::Catalog& catalog, const TenantId& tenant, intake::Sources& sources) {
  const auto tenants = catalog.find(engine::kTenantKind);
  if (tenants == catalog.end()) return;
  const auto found = tenants->second.find(tenant.text());
  const auto document = found == tenants->second.end() ? std::nullopt : [&]() -> std::optional<json::Document> {
    auto parsed = json::parse(std::string_view(found->second.body));
    return parsed ? std::optional(*std::move(parsed)) : std::nullopt;
  }();
  if (!document) return;
  sources.naming = registry::parse_naming_mode(member_of(*document, "naming")).value_or(registry::NamingMode::off);
  sources.convention =
      registry::parse_convention(member_of(*document, "namingConvention")).value_or(registry::Convention::dotted);
}

}  // namespace

PolicyBook::Pointer PolicyBook::find(const TenantId& tenant) const {
  const std::uint64_t version = engine_.catalog_version(tenant);
  const std::lock_guard lock(mutex_);
  const auto found = pages_.find(tenant.text());
  if (found == pages_.end() || found->second->version != version) return nullptr;
  return found->second->policies;
}

std::shared_ptr<PolicyBook::Page> PolicyBook::page_of(const TenantId& tenant) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Page>& page = pages_[tenant.text()];
  if (!page) page = std::make_shared<Page>();
  return page;
}

async::Async<PolicyBook::Pointer> PolicyBook::get(TenantId tenant, async::ThreadPool& threads) {
  if (Pointer found = find(tenant)) co_return found;
  const std::shared_ptr<Page> page = page_of(tenant);
  const bool first = [&] {
    const std::lock_guard lock(mutex_);
    return page->policies == nullptr;
  }();
  if (!first) co_return renew(tenant, *page);
  co_return co_await threads.run([this, tenant, page] { return renew(tenant, *page); });
}

PolicyBook::Pointer PolicyBook::renew(const TenantId& tenant, Page& page) {
  const std::lock_guard turn(page.turn);
  if (Pointer found = find(tenant)) return found;
  // Before the catalog: what changes between the two reads is compiled once more, not missed.
  const std::uint64_t version = engine_.catalog_version(tenant);
  const auto catalog = engine_.catalog();
  intake::Sources sources{.event_types = sources_of(*catalog, intake::kEventTypeKind, tenant),
                          .rules = sources_of(*catalog, intake::kRuleKind, tenant)};
  read_naming(*catalog, tenant, sources);
  // Only the holder of the turn writes it.
  Pointer policies = intake::Policies::compile(sources, page.policies.get());
  const std::lock_guard lock(mutex_);
  page.version = version;
  page.policies = policies;
  return policies;
}

}  // namespace millrace::api
