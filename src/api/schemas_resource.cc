// GET /api/schemas: the versions of all event types, one by one (S3.6).
#include <fmt/format.h>

#include "api/page.h"
#include "api/query.h"
#include "api/registry.h"
#include "registry/bounds.h"

namespace millrace::api {
namespace {

constexpr std::string_view kListing = "schemas";

using registry::SpecVersion;

struct Spot {
  std::string type;
  registry::SchemaVersion version;

  auto operator<=>(const Spot&) const = default;
};

// "type version".
Result<std::optional<Spot>> read_after(const Page& page) {
  if (!page.after) return std::nullopt;
  const std::size_t blank = page.after->rfind(' ');
  const auto version =
      blank == std::string::npos ? std::nullopt : registry::parse_schema_version(page.after->substr(blank + 1));
  if (!version) return fail(Errc::bad_query, "query parameter \"cursor\" is none of this listing", "cursor");
  return Spot{page.after->substr(0, blank), *version};
}

void write_spec_members(json::Writer& out, const std::string& type, const SpecVersion& spec,
                        const shard::Document& document) {
  out.member("type", type);
  out.member("version", registry::to_text(spec.version));
  out.member("status", registry::to_text(spec.status));
  out.member("schemaType", registry::to_text(spec.schema_type));
  out.member("mimeType", spec.mime_type);
  out.member("describes", registry::to_text(spec.describes));
  if (!spec.message.empty()) out.member("message", spec.message);
  out.member("updatedAt", document.updated);
}

struct Listed {
  std::string items;  // JSON
  std::optional<std::string> last;
};

Listed list_specs(const engine::Catalog& catalog, const TenantId& tenant, const std::optional<std::string>& only,
                  const std::optional<Spot>& after, std::size_t limit) {
  Listed listed;
  json::Writer out(listed.items);
  out.begin_array();
  std::size_t count = 0;
  std::string last;
  const std::string prefix = intake::document_key(tenant, "");
  static const engine::Catalog::mapped_type kNone;
  const auto kind = catalog.find(kEventTypes.kind);
  const auto& documents = kind == catalog.end() ? kNone : kind->second;
  auto next = documents.lower_bound(prefix + only.value_or(after ? after->type : ""));
  for (; next != documents.end() && next->first.starts_with(prefix) && !listed.last; ++next) {
    if (only && intake::name_in_key(next->first) != *only) break;
    const auto type = type_of(next->second);
    if (!type) continue;
    for (const SpecVersion& spec : type->spec_versions) {
      if (after && Spot{type->code, spec.version} <= *after) continue;
      if (count++ == limit) {
        listed.last = last;
        break;
      }
      out.begin_object();
      write_spec_members(out, type->code, spec, next->second);
      out.end_object();
      last = fmt::format("{} {}", type->code, registry::to_text(spec.version));
    }
  }
  out.end_array();
  return listed;
}

}  // namespace

Async<Answer> list_schemas(Services& services, http::Request& request) {
  const Result<Page> page = read_page(request, kListing);
  if (!page) co_return std::unexpected(page.error());
  const auto after = read_after(*page);
  if (!after) co_return std::unexpected(after.error());
  const auto only = Query(request.target.query).text("type", registry::kCodeBytesMax);
  if (!only) co_return std::unexpected(only.error());
  const Listed listed = list_specs(*services.engine.catalog(), caller_of(request).tenant, *only, *after, page->limit);
  co_return respond(200, [&](json::Writer& out) {
    out.begin_object();
    out.raw_member("items", listed.items);
    write_next_cursor(out, kListing, listed.last);
    out.end_object();
  });
}

Async<Answer> get_schema(Services& services, http::Request& request) {
  const std::string& code = request.param("type");
  const std::string& named = request.param("version");
  const auto document = find_document(services.engine, kEventTypes, caller_of(request).tenant, code);
  if (!document) co_return std::unexpected(no_such_document(kEventTypes, code));
  const auto type = type_of(*document);
  if (!type) co_return std::unexpected(type.error());
  const auto version = registry::parse_event_schema_version(named);
  const auto found = std::ranges::find_if(type->spec_versions,
                                          [&](const SpecVersion& spec) { return version && spec.version == *version; });
  if (found == type->spec_versions.end()) {
    co_return fail(Errc::not_found, fmt::format("event type \"{}\" has no version {}", code, named.substr(0, 32)));
  }
  http::Response response = respond(200, [&](json::Writer& out) {
    out.begin_object();
    write_spec_members(out, code, *found, *document);
    out.member("schema", found->schema);
    out.end_object();
  });
  response.headers.emplace_back("ETag", etag_of(document->version));
  co_return response;
}

}  // namespace millrace::api
