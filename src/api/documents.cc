#include "api/documents.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "api/ask.h"
#include "api/page.h"
#include "base/assert.h"
#include "base/limits.h"
#include "http/target.h"
#include "intake/documents.h"
#include "json/parse.h"

namespace millrace::api {
namespace {

// Each round somebody else has won, so this is only reached by a crowd.
constexpr int kRoundsMax = 8;

Result<Precondition> read_precondition(const http::Request& request) {
  return Precondition::parse(request.header("If-Match"), request.header("If-None-Match"));
}

std::optional<std::uint64_t> version_of(const std::optional<shard::Document>& document) {
  return document ? std::optional(document->version) : std::nullopt;
}

shard::AuditNote note_of(const http::Request& request, const Collection& collection, const std::string& name,
                         std::string values) {
  const Asker asker = asker_of(request);
  return {.tenant = caller_of(request).tenant,
          .actor = asker.actor,
          .entity_type = std::string(collection.entity_type),
          .entity_id = name,
          .correlation_id = asker.correlation_id,
          .values = std::move(values)};
}

// When the document that this one replaces was made; `now` where it replaces none.
Time created_at(const shard::Document* present, Time now) {
  const auto body = present != nullptr ? json::parse(std::string_view(present->body)) : json::parse("{}");
  const auto created = body ? body->root().find("createdAt") : std::nullopt;
  const auto time = created && created->is(json::Kind::string) ? parse_time(created->get_string()) : std::nullopt;
  return time.value_or(now);
}

// What may stand in a path as it is; everything else is escaped.
std::string path_segment(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~:").find(c) != std::string_view::npos;
    plain ? escaped += c : escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return escaped;
}

}  // namespace

std::string describe(const Collection& collection, std::string_view name) {
  return fmt::format("{} \"{}\"", collection.noun, name);
}

Error no_such_document(const Collection& collection, std::string_view name) {
  return {Errc::not_found, fmt::format("there is no {}", describe(collection, name.substr(0, 255)))};
}

std::optional<shard::Document> find_document(const engine::Engine& engine, const Collection& collection,
                                             const TenantId& tenant, std::string_view name) {
  return find_document(*engine.catalog(), collection, tenant, name);
}

std::optional<shard::Document> find_document(const engine::Catalog& catalog, const Collection& collection,
                                             const TenantId& tenant, std::string_view name) {
  const auto documents = catalog.find(collection.kind);
  if (documents == catalog.end()) return std::nullopt;
  const auto found = documents->second.find(intake::document_key(tenant, name));
  return found == documents->second.end() ? std::nullopt : std::optional(found->second);
}

void write_document_json(json::Writer& out, const shard::Document& document) {
  MR_ASSERT(document.body.size() > 2 && document.body.back() == '}', "a document is an object with members");
  std::string text = document.body.substr(0, document.body.size() - 1);
  text += fmt::format(R"(,"updatedAt":"{}","version":{}}})", format_time(document.updated), document.version);
  out.raw(text);
}

Answer list_documents(Services& services, const http::Request& request, const Collection& collection,
                      const std::function<bool(const shard::Document&)>& wanted) {
  const Result<Page> page = read_page(request, collection.kind);
  if (!page) return std::unexpected(page.error());
  const std::string prefix = intake::document_key(caller_of(request).tenant, "");
  const auto catalog = services.engine.catalog();
  static const engine::Catalog::mapped_type kNone;
  const auto kind = catalog->find(collection.kind);
  const auto& documents = kind == catalog->end() ? kNone : kind->second;
  http::Response response;
  json::Writer out(response.body);
  out.begin_object();
  out.key("items");
  out.begin_array();
  std::optional<std::string> last;
  bool more = false;
  std::size_t count = 0;
  auto next = page->after ? documents.upper_bound(prefix + *page->after) : documents.lower_bound(prefix);
  for (; next != documents.end() && next->first.starts_with(prefix); ++next) {
    if (wanted && !wanted(next->second)) continue;
    more = count == page->limit || response.body.size() > kPageBytesMax;
    if (more) break;
    write_document_json(out, next->second);
    last = intake::name_in_key(next->first);
    ++count;
  }
  out.end_array();
  write_next_cursor(out, collection.kind, more ? last : std::nullopt);
  out.end_object();
  return response;
}

Answer get_document(Services& services, const http::Request& request, const Collection& collection,
                    std::string_view name) {
  const Result<Precondition> precondition = read_precondition(request);
  if (!precondition) return std::unexpected(precondition.error());
  const auto found = find_document(services.engine, collection, caller_of(request).tenant, name);
  if (!found) return std::unexpected(no_such_document(collection, name));
  if (precondition->has_seen(found->version)) {
    return http::Response{.status = 304, .headers = {{"ETag", etag_of(found->version)}}};
  }
  if (const Result<void> holds = precondition->check(found->version, describe(collection, name)); !holds) {
    return std::unexpected(holds.error());
  }
  http::Response response = respond(200, [&](json::Writer& out) { write_document_json(out, *found); });
  response.headers.emplace_back("ETag", etag_of(found->version));
  return response;
}

Async<Answer> remove_document(Services& services, const http::Request& request, const Collection& collection,
                              std::string name) {
  const Result<Precondition> precondition = read_precondition(request);
  if (!precondition) co_return std::unexpected(precondition.error());
  const TenantId tenant = caller_of(request).tenant;
  const auto found = find_document(services.engine, collection, tenant, name);
  const auto shard = services.engine.shard_of(tenant);
  if (!found || !shard) co_return std::unexpected(no_such_document(collection, name));
  if (const Result<void> holds = precondition->check(found->version, describe(collection, name)); !holds) {
    co_return std::unexpected(holds.error());
  }
  shard::RemoveDocument command{
      .kind = std::string(collection.kind),
      .key = intake::document_key(tenant, name),
      .expected_version = precondition->given() ? std::optional(found->version) : std::nullopt,
      .audit = note_of(request, collection, name, found->body)};
  const auto removed = co_await ask<shard::Ack>(services.engine, *shard, std::move(command));
  if (!removed && removed.error().code == Errc::not_found) {
    co_return std::unexpected(no_such_document(collection, name));
  }
  if (!removed) co_return std::unexpected(removed.error());
  co_return http::Response{.status = 204};
}

Result<std::string> compose_body(const Compose& compose, const std::optional<shard::Document>& present, Time now) {
  const shard::Document* old = present ? &*present : nullptr;
  std::string body;
  json::Writer out(body);
  out.begin_object();
  if (Result<void> composed = compose(out, old); !composed) return std::unexpected(std::move(composed.error()));
  out.member("createdAt", created_at(old, now));
  out.end_object();
  return body;
}

Async<Result<Written>> write_document(Services& services, const http::Request& request, const Collection& collection,
                                      std::string name, Compose compose) {
  const Result<Precondition> precondition = read_precondition(request);
  if (!precondition) co_return std::unexpected(precondition.error());
  const TenantId tenant = caller_of(request).tenant;
  Error stale{Errc::stale_version, fmt::format("{} is being changed by others", describe(collection, name))};
  for (int round = 0; round < kRoundsMax; ++round) {
    const auto present = find_document(services.engine, collection, tenant, name);
    if (const Result<void> holds = precondition->check(version_of(present), describe(collection, name)); !holds) {
      co_return std::unexpected(holds.error());
    }
    Result<std::string> body = co_await services.readers.run(
        [&compose, &present, now = services.clock.now()] { return compose_body(compose, present, now); });
    if (!body) co_return std::unexpected(std::move(body.error()));
    const Result<ShardId> shard = co_await register_caller(services, request);
    if (!shard) co_return std::unexpected(shard.error());
    shard::PutDocument command{.kind = std::string(collection.kind),
                               .key = intake::document_key(tenant, name),
                               .tenant = tenant,
                               .body = *body,
                               .expected_version = present ? present->version : 0,
                               .audit = note_of(request, collection, name, *body)};
    auto stored = co_await ask<shard::Document>(services.engine, *shard, std::move(command));
    if (stored) co_return Written{*std::move(stored), !present};
    if (stored.error().code != Errc::stale_version) co_return std::unexpected(std::move(stored.error()));
  }
  co_return std::unexpected(std::move(stale));
}

namespace {

Error stale_drafts(const engine::Catalog& catalog, const Collection& collection, const TenantId& tenant,
                   const std::vector<std::pair<std::string, std::uint64_t>>& expected) {
  std::vector<std::string> stale;
  for (const auto& [name, version] : expected) {
    const auto present = version_of(find_document(catalog, collection, tenant, name));
    if (present.value_or(0) == version) continue;
    stale.push_back(present ? fmt::format("{} is at version {}", describe(collection, name), *present)
                            : fmt::format("{} does not exist any more", describe(collection, name)));
  }
  if (stale.empty()) return {Errc::stale_version, "others change the same documents; send it again"};
  return {Errc::stale_version, fmt::format("{}", fmt::join(stale, "; "))};
}

}  // namespace

Async<Result<void>> write_documents(Services& services, const http::Request& request, const Collection& collection,
                                    std::vector<Draft> drafts) {
  const TenantId tenant = caller_of(request).tenant;
  const Result<ShardId> shard = co_await register_caller(services, request);
  if (!shard) co_return std::unexpected(shard.error());
  shard::PutDocuments command;
  std::vector<std::pair<std::string, std::uint64_t>> expected;
  for (Draft& draft : drafts) {
    command.documents.push_back({.kind = std::string(collection.kind),
                                 .key = intake::document_key(tenant, draft.name),
                                 .tenant = tenant,
                                 .body = draft.body,
                                 .expected_version = draft.expected_version,
                                 .audit = note_of(request, collection, draft.name, std::move(draft.body))});
    expected.emplace_back(std::move(draft.name), draft.expected_version);
  }
  const auto stored = co_await ask<shard::Documents>(services.engine, *shard, std::move(command));
  if (stored) co_return Result<void>();
  if (stored.error().code != Errc::stale_version) co_return std::unexpected(stored.error());
  co_return std::unexpected(stale_drafts(*services.engine.catalog(), collection, tenant, expected));
}

http::Response show_written(const Collection& collection, const Written& written) {
  http::Response response =
      respond(written.created ? 201 : 200, [&](json::Writer& out) { write_document_json(out, written.document); });
  response.headers.emplace_back("ETag", etag_of(written.document.version));
  if (written.created) {
    const std::string_view name = intake::name_in_key(written.document.key);
    response.headers.emplace_back("Location", fmt::format("{}/{}", collection.path, path_segment(name)));
  }
  return response;
}

}  // namespace millrace::api
