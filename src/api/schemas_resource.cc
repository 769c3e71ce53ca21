// /api/schemas: the versions of all event types, one by one (S3.6). They live in the documents of their types.
#include <fmt/format.h>

#include "api/page.h"
#include "api/query.h"
#include "api/registry.h"
#include "json/parse.h"
#include "registry/bounds.h"
#include "registry/type_change.h"

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

Error no_such_version(const std::string& code, const std::string& version) {
  return {Errc::not_found, fmt::format("event type \"{}\" has no version {}", code, version.substr(0, 32))};
}

const SpecVersion* find_spec(const registry::EventType& type, const std::string& named) {
  const auto version = registry::parse_event_schema_version(named);
  const auto found = std::ranges::find_if(type.spec_versions,
                                          [&](const SpecVersion& spec) { return version && spec.version == *version; });
  return found == type.spec_versions.end() ? nullptr : &*found;
}

http::Response show_spec(const SpecVersion& spec, const std::string& code, const shard::Document& document) {
  http::Response response = respond(200, [&](json::Writer& out) {
    out.begin_object();
    write_spec_members(out, code, spec, document);
    out.member("schema", spec.schema);
    out.end_object();
  });
  response.headers.emplace_back("ETag", etag_of(document.version));
  return response;
}

// What becomes of the versions of the type: the body laid over the one that the path names, or that one left out.
using Change = Result<void> (*)(std::vector<SpecVersion>& versions, std::size_t at, const http::Request& request);

Result<void> lay_over(std::vector<SpecVersion>& versions, std::size_t at, const http::Request& request) {
  const auto body = json::parse(std::string_view(request.body));
  if (!body) return std::unexpected(json::to_error(body.error()));
  auto spec = registry::merge_spec_version(versions[at], body->root());
  if (!spec) return std::unexpected(std::move(spec.error()));
  versions[at] = *std::move(spec);
  return {};
}

Result<void> leave_out(std::vector<SpecVersion>& versions, std::size_t at, const http::Request&) {
  versions.erase(versions.begin() + static_cast<std::ptrdiff_t>(at));
  return {};
}

Result<void> compose_changed(json::Writer& out, const shard::Document* present, const http::Request& request,
                             Change change) {
  const std::string& code = request.param("type");
  if (present == nullptr) return std::unexpected(no_such_document(kEventTypes, code));
  const auto old = type_of(*present);
  if (!old) return std::unexpected(old.error());
  const SpecVersion* spec = find_spec(*old, request.param("version"));
  if (spec == nullptr) return std::unexpected(no_such_version(code, request.param("version")));
  registry::EventType type = *old;
  const auto at = static_cast<std::size_t>(spec - old->spec_versions.data());
  if (auto changed = change(type.spec_versions, at, request); !changed) return changed;
  if (auto checked = registry::check_type_change(*old, type); !checked) {
    Error error = std::move(checked.error());
    const std::size_t dot = error.field.rfind("].");  // from the type's path to the one that was sent
    error.field = dot == error.field.npos ? "version" : error.field.substr(dot + 2);
    return std::unexpected(std::move(error));
  }
  write_type(out, type);
  return {};
}

Async<Result<Written>> write_changed(Services& services, http::Request& request, Change change) {
  const std::string& code = request.param("type");
  if (!find_document(services.engine, kEventTypes, caller_of(request).tenant, code)) {
    co_return std::unexpected(no_such_document(kEventTypes, code));
  }
  const auto compose = [&request, change](json::Writer& out, const shard::Document* present) {
    return compose_changed(out, present, request, change);
  };
  co_return co_await write_document(services, request, kEventTypes, code, compose);
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
  const auto document = find_document(services.engine, kEventTypes, caller_of(request).tenant, code);
  if (!document) co_return std::unexpected(no_such_document(kEventTypes, code));
  const auto type = type_of(*document);
  if (!type) co_return std::unexpected(type.error());
  const SpecVersion* spec = find_spec(*type, request.param("version"));
  if (spec == nullptr) co_return std::unexpected(no_such_version(code, request.param("version")));
  co_return show_spec(*spec, code, *document);
}

Async<Answer> change_schema(Services& services, http::Request& request) {
  const auto written = co_await write_changed(services, request, lay_over);
  if (!written) co_return std::unexpected(written.error());
  const auto type = type_of(written->document);
  if (!type) co_return std::unexpected(type.error());
  co_return show_spec(*find_spec(*type, request.param("version")), type->code, written->document);
}

Async<Answer> remove_schema(Services& services, http::Request& request) {
  const auto written = co_await write_changed(services, request, leave_out);
  if (!written) co_return std::unexpected(written.error());
  co_return http::Response{.status = 204};
}

}  // namespace millrace::api
