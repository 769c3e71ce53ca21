// Where tenants live. A tenant's shard is stored when something is first created in it (asking creates nothing) and
// never computed again. Any io thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/precondition.h"
#include "async/async.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "engine/engine.h"
#include "registry/naming.h"

namespace millrace::api {

struct Tenant {
  TenantId id = TenantId::default_tenant();
  ShardId shard;
  std::optional<Time> created;
  // How the tenant wants its events to be named (S2.3).
  registry::NamingMode naming = registry::NamingMode::off;
  registry::Convention convention = registry::Convention::dotted;
  std::uint64_t version = 0;  // of its document
};

// What of a tenant can be changed; what is empty stays.
struct TenantChange {
  std::optional<registry::NamingMode> naming;
  std::optional<registry::Convention> convention;
};

// Who wants it, for the audit log.
struct Asker {
  std::string actor;
  std::string correlation_id;
};

class Tenants {
 public:
  Tenants(engine::Engine& engine, const Clock& clock) : engine_(engine), clock_(clock) {}

  // The tenant's shard; a tenant never seen before is registered. Two callers at once: one registers, both get
  // the same. Errc: unavailable, overloaded.
  async::Async<Result<ShardId>> shard_for(const TenantId& tenant, Asker asker);

  // The tenant's shard, or for one never seen before the shard that it would get: questions are answered there as for a
  // tenant that has nothing, and a claim that waits there is woken by the tenant's first item.
  ShardId shard_to_ask(const TenantId& tenant) const;

  // Registers the tenant; Errc::conflict if it exists.
  async::Async<Result<Tenant>> create(TenantId tenant, Asker asker);

  // Errc: not_found; stale_version where `precondition` does not hold.
  async::Async<Result<Tenant>> change(TenantId tenant, TenantChange change, Precondition precondition, Asker asker);

  std::optional<Tenant> find(const TenantId& tenant) const;
  // By name, those after `after`, at most `limit`.
  std::vector<Tenant> list(const std::string& after, std::size_t limit) const;

 private:
  async::Async<Result<ShardId>> register_tenant(TenantId tenant, Asker asker);
  std::optional<shard::Document> find_document(const TenantId& tenant) const;

  engine::Engine& engine_;
  const Clock& clock_;
};

}  // namespace millrace::api
