// /api/keys: the keys of the caller's tenant. The text of a key is in the answer of its creation, nowhere else.
#include <fmt/format.h>

#include "api/access_key.h"
#include "api/admin.h"
#include "api/ask.h"
#include "api/first_error.h"
#include "api/page.h"
#include "base/limits.h"
#include "json/known_fields.h"
#include "json/object_reader.h"

namespace millrace::api {
namespace {

constexpr std::string_view kListing = "keys";

struct KeyRequest {
  TenantId tenant;
  Scopes scopes;
  std::string name;
  std::optional<Time> expires;
};

Result<TenantId> read_tenant(const json::ObjectReader& body, const Caller& caller) {
  const Result<std::optional<std::string>> name = body.optional_string("tenant", 63);
  if (!name) return std::unexpected(name.error());
  if (!*name || **name == caller.tenant.text()) return caller.tenant;
  if (!caller.is_operator()) return fail(Errc::forbidden, "a key of another tenant needs scope \"operator\"");
  const std::optional<TenantId> tenant = TenantId::parse(**name);
  if (!tenant) return fail(Errc::invalid, "\"tenant\" is no name that a tenant can have", "tenant");
  return *tenant;
}

Result<Scopes> read_scopes(const json::ObjectReader& body, const Caller& caller) {
  const auto names = body.optional_strings("scopes", 16, 64);
  if (!names) return std::unexpected(names.error());
  Scopes scopes;
  for (const std::string& name : names->value_or(std::vector<std::string>{})) {
    if (!scopes.add(name)) {
      return fail(Errc::invalid,
                  "\"scopes\" may be events:write, events:read, queue:work, admin and operator, not \"" + name + "\"",
                  "scopes");
    }
    if (name == kOperator && !caller.is_operator()) {
      return fail(Errc::forbidden, "giving scope \"operator\" needs scope \"operator\"");
    }
  }
  if (scopes.empty()) return fail(Errc::invalid, "\"scopes\" must name at least one scope", "scopes");
  return scopes;
}

// A time, or a duration from now ("90d").
Result<std::optional<Time>> read_expires(const json::ObjectReader& body, Time now) {
  const Result<std::optional<std::string>> text = body.optional_string("expires", 64);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  std::optional<Time> expires = parse_time(**text);
  constexpr Millis kLongest = std::chrono::days(366 * 100);
  const std::optional<Millis> after = expires ? std::nullopt : parse_duration(**text);
  if (after && *after <= kLongest) expires = now + *after;
  if (!expires || *expires <= now) {
    return fail(Errc::invalid, "\"expires\" must be a future time or a duration like \"90d\"", "expires");
  }
  return expires;
}

Result<KeyRequest> read_key(json::Value value, const Caller& caller, Time now) {
  const Result<json::ObjectReader> body = json::ObjectReader::open(value);
  if (!body) return std::unexpected(body.error());
  const auto known = json::refuse_unknown(*body, "a new key", {"tenant", "scopes", "name", "expires"});
  if (!known) return std::unexpected(known.error());
  Result<TenantId> tenant = read_tenant(*body, caller);
  if (!tenant) return std::unexpected(std::move(tenant.error()));
  FirstError error;
  KeyRequest wanted{.tenant = *std::move(tenant), .scopes = {}, .name = {}, .expires = {}};
  wanted.scopes = error.take(read_scopes(*body, caller));
  wanted.name = error.take(body->optional_string("name", limits::kKeyNameBytesMax)).value_or("");
  wanted.expires = error.take(read_expires(*body, now));
  if (error.failed()) return error.give();
  return wanted;
}

shard::PutDocument put_key(const AccessKey& key, std::uint64_t expected_version, const Asker& asker) {
  return {.kind = std::string(kKeyKind),
          .key = key.id,
          .tenant = key.tenant,
          .body = to_document(key),
          .expected_version = expected_version,
          .audit = {.tenant = key.tenant,
                    .actor = asker.actor,
                    .entity_type = "millrace.key",
                    .entity_id = key.id,
                    .correlation_id = asker.correlation_id,
                    .values = describe(key)}};
}

struct StoredKey {
  AccessKey key;
  std::uint64_t version;
};

// Keys of the caller's tenant after `after`, by id; an operator's look-up by id sees all.
std::optional<StoredKey> find_key(const engine::Catalog& catalog, const std::string& id, const Caller& caller) {
  const auto keys = catalog.find(kKeyKind);
  if (keys == catalog.end()) return std::nullopt;
  const auto document = keys->second.find(id);
  if (document == keys->second.end()) return std::nullopt;
  std::optional<AccessKey> key = from_document(document->second.body);
  if (!key || (key->tenant != caller.tenant && !caller.is_operator())) return std::nullopt;
  return StoredKey{*std::move(key), document->second.version};
}

std::vector<AccessKey> keys_of(const engine::Catalog& catalog, const TenantId& tenant, const std::string& after,
                               std::size_t limit) {
  std::vector<AccessKey> found;
  const auto keys = catalog.find(kKeyKind);
  if (keys == catalog.end()) return found;
  for (auto next = keys->second.upper_bound(after); next != keys->second.end() && found.size() < limit; ++next) {
    if (next->second.tenant != tenant) continue;
    if (std::optional<AccessKey> key = from_document(next->second.body)) found.push_back(*std::move(key));
  }
  return found;
}

}  // namespace

Async<Answer> list_keys(Services& services, http::Request& request) {
  const Result<Page> page = read_page(request, kListing);
  if (!page) co_return std::unexpected(page.error());
  std::vector<AccessKey> keys =
      keys_of(*services.engine.catalog(), caller_of(request).tenant, page->after.value_or(""), page->limit + 1);
  std::optional<std::string> last;
  if (keys.size() > page->limit) {
    keys.pop_back();
    last = keys.back().id;
  }
  co_return respond(200, [&](json::Writer& out) {
    out.begin_object();
    out.key("items");
    out.begin_array();
    for (const AccessKey& key : keys) out.raw(describe(key));
    out.end_array();
    write_next_cursor(out, kListing, last);
    out.end_object();
  });
}

Async<Answer> create_key(Services& services, http::Request& request) {
  const Result<json::Value> body = json_body(request);
  if (!body) co_return std::unexpected(body.error());
  Result<KeyRequest> wanted = read_key(*body, caller_of(request), services.clock.now());
  if (!wanted) co_return std::unexpected(std::move(wanted.error()));
  const Result<ShardId> shard = co_await services.tenants.shard_for(wanted->tenant, asker_of(request));
  if (!shard) co_return std::unexpected(shard.error());

  const NewKey made = make_key(wanted->tenant, wanted->scopes, wanted->name, wanted->expires, services.clock.now());
  const Result<shard::Document> stored =
      co_await ask<shard::Document>(services.engine, kSystemShard, put_key(made.key, 0, asker_of(request)));
  if (!stored) co_return std::unexpected(stored.error());
  std::string text = describe(made.key);
  text.pop_back();  // the closing brace: the key itself is one more member
  text += R"(,"key":")" + made.text + R"("})";
  co_return http::json_response(201, std::move(text));
}

Async<Answer> revoke_key(Services& services, http::Request& request) {
  // Also where the whole key is given: nobody should have to take it apart.
  const std::string id(id_in_key(request.param("id")).value_or(request.param("id")));
  std::optional<StoredKey> found = find_key(*services.engine.catalog(), id, caller_of(request));
  if (!found) co_return fail(Errc::not_found, fmt::format("there is no key {}", id));
  if (found->key.revoked) co_return http::Response{.status = 204};
  found->key.revoked = services.clock.now();
  const Result<shard::Document> stored = co_await ask<shard::Document>(
      services.engine, kSystemShard, put_key(found->key, found->version, asker_of(request)));
  if (!stored) co_return std::unexpected(stored.error());
  services.keys.tell(found->key.id);
  co_return http::Response{.status = 204};
}

}  // namespace millrace::api
