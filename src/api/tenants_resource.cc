// /api/tenants, for operators.
#include <fmt/format.h>

#include "api/admin.h"
#include "api/page.h"
#include "json/object_reader.h"

namespace millrace::api {
namespace {

constexpr std::string_view kListing = "tenants";

void write_tenant(json::Writer& out, const Tenant& tenant) {
  out.begin_object();
  out.member("id", tenant.id.text());
  out.member("shard", tenant.shard.value);
  out.member("created", tenant.created);
  out.end_object();
}

Result<TenantId> read_tenant(json::Value value) {
  const Result<json::ObjectReader> body = json::ObjectReader::open(value);
  if (!body) return std::unexpected(body.error());
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
  co_return respond(201, [&](json::Writer& out) { write_tenant(out, *tenant); });
}

Async<Answer> get_tenant(Services& services, http::Request& request) {
  const std::string& name = request.param("tenant");
  const std::optional<TenantId> id = TenantId::parse(name);
  const std::optional<Tenant> tenant = id ? services.tenants.find(*id) : std::nullopt;
  if (!tenant) co_return fail(Errc::not_found, fmt::format("there is no tenant \"{}\"", name.substr(0, 63)));
  co_return respond(200, [&](json::Writer& out) { write_tenant(out, *tenant); });
}

}  // namespace millrace::api
