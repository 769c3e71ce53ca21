// Who is asking, and may they? Runs as the server's guard on every request, before its body is read. Holds no
// state that changes: keys are looked up in the engine's catalog snapshot. Any io thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/scopes.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "engine/engine.h"
#include "http/endpoint.h"
#include "http/request.h"

namespace millrace::api {

// Set as Request::principal by the guard.
struct Caller final : http::Principal {
  Caller(TenantId t, Scopes s, std::string a) : tenant(std::move(t)), scopes(s), actor(std::move(a)) {}
  TenantId tenant;
  Scopes scopes;
  std::string actor;            // for the audit log: "key:<id>", "admin-key", "local"
  std::string key;              // the id of his key; "" = not by a key that could be revoked
  std::optional<Time> expires;  // of that key
  bool is_operator() const { return scopes.allow(kOperator); }
};
// REQUIRES: the endpoint has a scope, so that the guard has set one.
const Caller& caller_of(const http::Request& request);

enum class AuthMode {
  off,   // whoever reaches the address may do everything: loopback only
  keys,  // Authorization: Bearer mr_…
};

struct AccessOptions {
  AuthMode mode = AuthMode::off;
  std::string listen_host;  // a Host header that names it is ours
  std::string admin_key;    // from the environment; "" = none
};

class Access {
 public:
  using CatalogSource = std::function<std::shared_ptr<const engine::Catalog>()>;
  using ReadySource = std::function<bool()>;
  Access(AccessOptions options, const Clock& clock, CatalogSource catalog, ReadySource ready);

  // Errc: forbidden (foreign Host or site, missing scope, foreign tenant), unavailable (not recovered yet),
  // unauthenticated, bad_query (no tenant has that name).
  Result<void> admit(http::Request& request, const http::Endpoint& endpoint) const;

 private:
  Result<void> check_origin(const http::Request& request, const http::Endpoint& endpoint) const;
  Result<std::shared_ptr<Caller>> identify(const http::Request& request) const;
  Result<std::shared_ptr<Caller>> find_key(std::string_view text) const;
  bool is_own_host(std::string_view host) const;

  AccessOptions options_;
  std::string admin_hash_;
  const Clock& clock_;
  CatalogSource catalog_;
  ReadySource ready_;
};

// For what stays open longer than a request takes: Errc::unauthenticated once the caller's key is revoked or expired.
Result<void> check_again(const engine::Catalog& catalog, const Caller& caller, Time now);

// Whether an address is only reachable from this machine. REQUIRES: an IP address, or "localhost".
bool is_loopback(std::string_view address);

}  // namespace millrace::api
