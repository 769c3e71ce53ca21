#include "api/access.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include "api/access_key.h"
#include "base/assert.h"
#include "base/digest.h"
#include "http/ascii.h"

namespace millrace::api {
namespace {

constexpr std::string_view kTenantHeader = "X-Millrace-Tenant";

// "[::1]:8080" and "localhost:8080" without the port; brackets are taken off.
std::string_view host_of(std::string_view authority) {
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    return end == authority.npos ? std::string_view{} : authority.substr(1, end - 1);
  }
  return authority.substr(0, authority.find(':'));
}

// The authority of "http://localhost:3000"; empty for "null" and anything else without one.
std::string_view authority_of(std::string_view origin) {
  const std::size_t start = origin.find("://");
  return start == origin.npos ? std::string_view{} : origin.substr(start + 3);
}

std::optional<std::string_view> bearer_of(const http::Request& request) {
  constexpr std::string_view kScheme = "Bearer ";
  const auto header = request.header("Authorization");
  if (!header || header->size() <= kScheme.size()) return std::nullopt;
  if (!http::equal_ignoring_case(header->substr(0, kScheme.size()), kScheme)) return std::nullopt;
  return http::trim_blanks(header->substr(kScheme.size()));
}

// One sentence for every wrong key: why it is wrong is none of the caller's business.
std::unexpected<Error> wrong_key() { return fail(Errc::unauthenticated, "the key is not valid"); }

std::optional<AccessKey> find_stored(const engine::Catalog& catalog, std::string_view id) {
  const auto keys = catalog.find(kKeyKind);
  if (keys == catalog.end()) return std::nullopt;
  const auto document = keys->second.find(id);
  return document == keys->second.end() ? std::nullopt : from_document(document->second.body);
}

// Whether a page of another site makes the browser ask. It says so also where it sends no Origin (an image, a form with
// GET). Following a link to something that only reads is the user's own doing.
bool is_cross_site(const http::Request& request, const http::Endpoint& endpoint) {
  if (!http::equal_ignoring_case(request.header("Sec-Fetch-Site").value_or(""), "cross-site")) return false;
  const bool navigates = http::equal_ignoring_case(request.header("Sec-Fetch-Mode").value_or(""), "navigate");
  const bool only_reads = endpoint.method == http::Method::get && !endpoint.no_head;
  return !navigates || !only_reads;
}

// A standby has numbers, and somebody who watches it wants them.
bool needs_recovery(const http::Endpoint& endpoint) { return endpoint.name != "metrics"; }

Result<void> choose_tenant(Caller& caller, const http::Request& request) {
  const auto named = request.header(kTenantHeader);
  if (!named || *named == caller.tenant.text()) return {};
  const std::optional<TenantId> tenant = TenantId::parse(*named);
  if (!tenant) {
    return fail(
        Errc::bad_query,
        fmt::format("{} must be 1 to 63 of a-z, 0-9, '.', '_', '-' and start with a letter or digit", kTenantHeader),
        std::string(kTenantHeader));
  }
  if (!caller.is_operator()) return fail(Errc::forbidden, "naming another tenant needs scope \"operator\"");
  caller.tenant = *tenant;
  return {};
}

}  // namespace

const Caller& caller_of(const http::Request& request) {
  const auto* caller = dynamic_cast<const Caller*>(request.principal.get());
  MR_ASSERT(caller != nullptr, "the guard knows the caller of every endpoint that has a scope");
  return *caller;
}

Access::Access(AccessOptions options, const Clock& clock, CatalogSource catalog, ReadySource ready)
    : options_(std::move(options)), clock_(clock), catalog_(std::move(catalog)), ready_(std::move(ready)) {
  if (!options_.admin_key.empty()) admin_hash_ = to_hex(sha256(options_.admin_key));
  options_.admin_key.clear();
}

Result<void> Access::admit(http::Request& request, const http::Endpoint& endpoint) const {
  if (endpoint.scope.empty()) return {};
  if (Result<void> ours = check_origin(request, endpoint); !ours) return ours;
  if (needs_recovery(endpoint) && !ready_()) return fail(Errc::unavailable, "the server is not ready yet; see /readyz");
  Result<std::shared_ptr<Caller>> caller = identify(request);
  if (!caller) return std::unexpected(std::move(caller.error()));
  if (!(*caller)->scopes.allow(endpoint.scope)) {
    return fail(Errc::forbidden, fmt::format("this needs a key with scope \"{}\"", endpoint.scope));
  }
  if (Result<void> chosen = choose_tenant(**caller, request); !chosen) return chosen;
  request.principal = *std::move(caller);
  return {};
}

// Without keys a browser on this machine is as trusted as any program: a page from elsewhere must not be
// able to use it, neither directly (Origin, Sec-Fetch-Site) nor under a name that resolves to this machine (Host).
Result<void> Access::check_origin(const http::Request& request, const http::Endpoint& endpoint) const {
  if (options_.mode == AuthMode::keys) return {};
  if (!is_own_host(host_of(request.header("Host").value_or("")))) {
    return fail(Errc::forbidden, "the Host header names another server; only local requests are taken without keys");
  }
  const auto origin = request.header("Origin");
  const bool foreign = origin ? !is_own_host(host_of(authority_of(*origin))) : is_cross_site(request, endpoint);
  if (foreign) {
    return fail(Errc::forbidden, "requests from other sites are refused");
  }
  return {};
}

bool Access::is_own_host(std::string_view host) const {
  if (host.empty()) return false;
  return http::equal_ignoring_case(host, "localhost") || is_loopback(host) ||
         http::equal_ignoring_case(host, options_.listen_host);
}

Result<std::shared_ptr<Caller>> Access::identify(const http::Request& request) const {
  if (options_.mode == AuthMode::off) {
    return std::make_shared<Caller>(TenantId::default_tenant(), Scopes::all(), "local");
  }
  const std::optional<std::string_view> text = bearer_of(request);
  if (!text) return fail(Errc::unauthenticated, "send a key: Authorization: Bearer mr_...");
  if (!admin_hash_.empty() && equal_secret(admin_hash_, to_hex(sha256(*text)))) {
    return std::make_shared<Caller>(TenantId::default_tenant(), Scopes::all(), "admin-key");
  }
  return find_key(*text);
}

Result<std::shared_ptr<Caller>> Access::find_key(std::string_view text) const {
  const std::optional<std::string_view> id = id_in_key(text);
  if (!id) return wrong_key();
  const std::optional<AccessKey> key = find_stored(*catalog_(), *id);
  if (!key || !is_text_of(*key, text) || !key->usable(clock_.now())) return wrong_key();
  auto caller = std::make_shared<Caller>(key->tenant, key->scopes, "key:" + key->id);
  caller->key = key->id;
  caller->expires = key->expires;
  return caller;
}

Result<void> check_again(const engine::Catalog& catalog, const Caller& caller, Time now) {
  if (caller.key.empty()) return {};
  const std::optional<AccessKey> key = find_stored(catalog, caller.key);
  return key && key->usable(now) ? Result<void>() : wrong_key();
}

bool is_loopback(std::string_view address) {
  if (http::equal_ignoring_case(address, "localhost")) return true;
  const std::string text(address);
  in_addr v4{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, text.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace millrace::api
