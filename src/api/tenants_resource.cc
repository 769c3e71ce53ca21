// /api/tenants: all of them for operators, one's own for its admin.
#include <fmt/format.h>

#include "api/admin.h"
#include "api/first_error.h"
#include "api/page.h"
#include "json/known_fields.h"
#include "json/object_reader.h"

namespace millrace::api {
namespace {

constexpr std::string_view kListing = "tenants";

void write_tenant(json::Writer& out, const Tenant& tenant) {
  out.begin_object();
  out.member("id", tenant.id.text());
  out.member("shard", tenant.shard.value);
  out.member("created", tenant.created);
  out.member("naming", registry::to_text(tenant.naming));
  out.member("namingConvention", registry::to_text(tenant.convention));
  out.member("version", tenant.version);
  out.end_object();
}

http::Response show_tenant(int status, const Tenant& tenant) {
  http::Response response = respond(status, [&](json::Writer& out) { write_tenant(out, tenant); });
  response.headers.emplace_back("ETag", etag_of(tenant.version));
  return response;
}

Error unknown_tenant(std::string_view name) {
  return {Errc::not_found, fmt::format("there is no tenant \"{}\"", name.substr(0, 63))};
}

// The tenant of the path, if the caller may see it: his own, or any for an operator.
std::optional<TenantId> tenant_in_path(const http::Request& request) {
  const Caller& caller = caller_of(request);
  std::optional<TenantId> id = TenantId::parse(request.param("tenant"));
  return id && (*id == caller.tenant || caller.is_operator()) ? id : std::nullopt;
}

template <class Mode, class Parse>
Result<std::optional<Mode>> read_word(const json::ObjectReader& body, std::string_view key, Parse parse,
                                      std::string_view words) {
  const auto text = body.optional_string(key, 20);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  if (const std::optional<Mode> mode = parse(**text)) return mode;
  return fail(Errc::invalid, fmt::format("\"{}\" must be {}", key, words), std::string(key));
}

Result<TenantChange> read_change(json::Value value) {
  const Result<json::ObjectReader> body = json::ObjectReader::open(value);
  if (!body) return std::unexpected(body.error());
  FirstError error;
  // Beside the two that can change: what the answer has, so that it may be sent back.
  error.check(
      json::refuse_unknown(*body, "a tenant", {"naming", "namingConvention", "id", "shard", "created", "version"}));
  TenantChange change;
  change.naming =
      error.take(read_word<registry::NamingMode>(*body, "naming", registry::parse_naming_mode, "off, warn or enforce"));
  change.convention = error.take(
      read_word<registry::Convention>(*body, "namingConvention", registry::parse_convention, "dotted, upper or colon"));
  if (error.failed()) return error.give();
  if (!change.naming && !change.convention) {
    return fail(Errc::invalid, "the body must have \"naming\" or \"namingConvention\"", "naming");
  }
  return change;
}

Result<TenantId> read_tenant(json::Value value) {
  const Result<json::ObjectReader> body = json::ObjectReader::open(value);
  if (!body) return std::unexpected(body.error());
  if (const auto known = json::refuse_unknown(*body, "a new tenant", {"id"}); !known)
    return std::unexpected(known.error());
  const Result<std::string> id = body->required_string("id", 63);
  if (!id) return std::unexpected(id.error());
  const std::optional<TenantId> tenant = TenantId::parse(*id);
  if (!tenant)
    return fail(Errc::invalid, "\"id\" must be 1 to 63 of a-z, 0-9, '.', '_', '-', not starting with a sign", "id");
  return *tenant;
}

}  // namespace

Async<Answer> list_tenants(Services& services, http::Request& request) {
  const Result<Page> page = read_page(request, kListing);
  if (!page) co_return std::unexpected(page.error());
  std::vector<Tenant> tenants = services.tenants.list(page->after.value_or(""), page->limit + 1);
  std::optional<std::string> last;
  if (tenants.size() > page->limit) {
    tenants.pop_back();
    last = tenants.back().id.text();
  }
  co_return respond(200, [&](json::Writer& out) {
    out.begin_object();
    out.key("items");
    out.begin_array();
    for (const Tenant& tenant : tenants) write_tenant(out, tenant);
    out.end_array();
    write_next_cursor(out, kListing, last);
    out.end_object();
  });
}

Async<Answer> create_tenant(Services& services, http::Request& request) {
  const Result<json::Value> body = json_body(request);
  if (!body) co_return std::unexpected(body.error());
  const Result<TenantId> id = read_tenant(*body);
  if (!id) co_return std::unexpected(id.error());
  const Result<Tenant> tenant = co_await services.tenants.create(*id, asker_of(request));
  if (!tenant) co_return std::unexpected(tenant.error());
  co_return show_tenant(201, *tenant);
}

Async<Answer> get_tenant(Services& services, http::Request& request) {
  const std::optional<TenantId> id = tenant_in_path(request);
  const std::optional<Tenant> tenant = id ? services.tenants.find(*id) : std::nullopt;
  if (!tenant) co_return std::unexpected(unknown_tenant(request.param("tenant")));
  co_return show_tenant(200, *tenant);
}

Async<Answer> change_tenant(Services& services, http::Request& request) {
  const std::optional<TenantId> id = tenant_in_path(request);
  if (!id) co_return std::unexpected(unknown_tenant(request.param("tenant")));
  const Result<json::Value> body = json_body(request);
  if (!body) co_return std::unexpected(body.error());
  const Result<TenantChange> change = read_change(*body);
  if (!change) co_return std::unexpected(change.error());
  const auto precondition = Precondition::parse(request.header("If-Match"), request.header("If-None-Match"));
  if (!precondition) co_return std::unexpected(precondition.error());
  // The caller's own tenant exists as soon as it does something; another one must be there.
  if (*id == caller_of(request).tenant) {
    const Result<ShardId> shard = co_await register_caller(services, request);
    if (!shard) co_return std::unexpected(shard.error());
  }
  const Result<Tenant> tenant = co_await services.tenants.change(*id, *change, *precondition, asker_of(request));
  if (!tenant) co_return std::unexpected(tenant.error());
  co_return show_tenant(200, *tenant);
}

}  // namespace millrace::api
