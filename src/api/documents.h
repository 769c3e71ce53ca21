// The documents of a tenant over HTTP: event types, rules, allowlists. Read from the catalog, written at the tenant's
// shard, with versions that keep two authors from overwriting each other. What is stored is the JSON that is shown,
// without `version` and `updatedAt`, which the shard knows.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/precondition.h"
#include "api/respond.h"
#include "json/writer.h"
#include "shard/command.h"

namespace millrace::api {

struct Collection {
  std::string_view kind;         // in the catalog
  std::string_view entity_type;  // in the audit log
  std::string_view noun;         // in messages
  std::string_view path;         // of the listing
};

std::optional<shard::Document> find_document(const engine::Engine& engine, const Collection& collection,
                                             const TenantId& tenant, std::string_view name);
// As of one moment.
std::optional<shard::Document> find_document(const engine::Catalog& catalog, const Collection& collection,
                                             const TenantId& tenant, std::string_view name);
Error no_such_document(const Collection& collection, std::string_view name);

// By name, those that `wanted` (empty: all). Ends before `limit` where the page grows large.
Answer list_documents(Services& services, const http::Request& request, const Collection& collection,
                      const std::function<bool(const shard::Document&)>& wanted = {});
// 304 for If-None-Match with the present version.
Answer get_document(Services& services, const http::Request& request, const Collection& collection,
                    std::string_view name);
// 204.
Async<Answer> remove_document(Services& services, const http::Request& request, const Collection& collection,
                              std::string name);

// Writes the members of the new document, given the present one (null: there is none), or refuses. Runs on a thread
// where it may take its time, and again if another author was faster; REQUIRES: it uses nothing but its arguments
// and what outlives the request.
using Compose = std::function<Result<void>(json::Writer& out, const shard::Document* present)>;

struct Written {
  shard::Document document;
  bool created = false;
};
// Errc::stale_version where the request's precondition does not hold, besides what `compose` refuses with.
Async<Result<Written>> write_document(Services& services, const http::Request& request, const Collection& collection,
                                      std::string name, Compose compose);

// One of several documents to be written together.
struct Draft {
  std::string name;
  std::string body;                    // by compose_body()
  std::uint64_t expected_version = 0;  // of the present document; 0: there is none
};
Result<std::string> compose_body(const Compose& compose, const std::optional<shard::Document>& present, Time now);
// In one commit, or nothing of it: Errc::stale_version, with every document that is at another version by now.
Async<Result<void>> write_documents(Services& services, const http::Request& request, const Collection& collection,
                                    std::vector<Draft> drafts);

// 201 with Location for a new document, else 200; both with ETag.
http::Response show_written(const Collection& collection, const Written& written);
void write_document_json(json::Writer& out, const shard::Document& document);

// "rule \"x\"".
std::string describe(const Collection& collection, std::string_view name);

}  // namespace millrace::api
