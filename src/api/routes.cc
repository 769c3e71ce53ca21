#include "api/routes.h"

#include <algorithm>
#include <span>

#include "api/access_key.h"
#include "api/admin.h"
#include "api/blobs.h"
#include "api/events.h"
#include "api/health.h"
#include "api/query.h"
#include "api/queue.h"
#include "api/registry.h"
#include "api/rules.h"
#include "base/assert.h"
#include "base/log.h"

namespace millrace::api {
namespace {

using http::BodyRule;
using http::ErrorStyle;
using http::Method;

using Operation = Async<Answer> (*)(Services&, http::Request&);

struct Row {
  Method method;
  std::string_view path;
  std::string_view name;
  std::string_view scope;
  BodyRule body;
  Operation operation;
  std::string_view query = {};  // the parameters it reads, as Query::refuse_unknown() takes them
};

constexpr std::string_view kPaged = "limit cursor";
constexpr std::string_view kTrial = "dryRun from to";
constexpr std::string_view kListing = "type source subject correlationId from to context.* format resolve limit cursor";
constexpr std::string_view kKeyQuery =
    "index pk skPrefix skFrom skAfter skTo skBefore order format resolve limit cursor";
// Probes and caches add parameters of their own. These answers depend on none, and a node that is well must not be
// taken for a dead one because of them.
constexpr std::string_view kAny = "*";

// A check brings two schemas, each as large as the body of a put may make it (1 MiB), and a few words beside them: what
// can be registered can be tried before.
constexpr std::size_t kCheckBytesMax = (2 * 1024 + 64) * 1024;

// Below /events and below /api/queue/events.
constexpr Row kQueue[] = {
    {Method::post, "", "createItems", kEventsWrite, BodyRule::json, create_items},
    {Method::get, "", "listItems", kEventsRead, BodyRule::none, list_items, "status tags limit offset cursor"},
    {Method::get, "/subscribe", "subscribe", kQueueWork, BodyRule::none, subscribe,
     "tags worker_id limit wait payload"},
    {Method::post, "/settle", "settleItems", kQueueWork, BodyRule::json, settle_items, "payload"},
    {Method::get, "/{id}", "getItem", kEventsRead, BodyRule::none, get_item, "include_logs payload"},
    {Method::post, "/{id}/start", "startItem", kQueueWork, BodyRule::json, start_item},
    {Method::post, "/{id}/heartbeat", "heartbeatItem", kQueueWork, BodyRule::json, heartbeat_item},
    {Method::post, "/{id}/complete", "completeItem", kQueueWork, BodyRule::json, complete_item},
    {Method::post, "/{id}/fail", "failItem", kQueueWork, BodyRule::json, fail_item},
    {Method::post, "/{id}/reset", "resetItem", kAdmin, BodyRule::none, reset_item, "reason"},
};

constexpr Row kRest[] = {
    {Method::post, "/api/events", "publishEvents", kEventsWrite, BodyRule::any, publish_events, "partial"},
    {Method::get, "/api/events", "listEvents", kEventsRead, BodyRule::none, list_events, kListing},
    {Method::get, "/api/events/query", "queryEvents", kEventsRead, BodyRule::none, query_events, kKeyQuery},
    {Method::get, "/api/events/tail", "tailEvents", kEventsRead, BodyRule::none, tail_events,
     "from type format resolve"},
    {Method::get, "/api/events/{id}", "getEvent", kEventsRead, BodyRule::none, get_event, "format resolve"},
    {Method::get, "/api/events/{id}/explain", "explainEvent", kEventsRead, BodyRule::none, explain_event,
     "rule limit cursor"},
    {Method::get, "/api/event-types", "listEventTypes", kEventsRead, BodyRule::none, list_event_types,
     "status limit cursor"},
    {Method::post, "/api/event-types", "createEventType", kAdmin, BodyRule::json, create_event_type},
    {Method::get, "/api/event-types/{code}", "getEventType", kEventsRead, BodyRule::none, get_event_type},
    {Method::put, "/api/event-types/{code}", "putEventType", kAdmin, BodyRule::json, put_event_type},
    {Method::patch, "/api/event-types/{code}", "changeEventType", kAdmin, BodyRule::json, change_event_type},
    {Method::delete_, "/api/event-types/{code}", "removeEventType", kAdmin, BodyRule::none, remove_event_type},
    {Method::get, "/api/schemas", "listSchemas", kEventsRead, BodyRule::none, list_schemas, "type limit cursor"},
    {Method::post, "/api/schemas", "pushSchemas", kAdmin, BodyRule::json, push_schemas, "dryRun"},
    {Method::post, "/api/schemas/check", "checkSchemas", kEventsRead, BodyRule::json, check_schemas},
    {Method::get, "/api/schemas/{type}/{version}", "getSchema", kEventsRead, BodyRule::none, get_schema},
    {Method::patch, "/api/schemas/{type}/{version}", "changeSchema", kAdmin, BodyRule::json, change_schema},
    {Method::delete_, "/api/schemas/{type}/{version}", "removeSchema", kAdmin, BodyRule::none, remove_schema},
    {Method::get, "/api/rules", "listRules", kEventsRead, BodyRule::none, list_rules, kPaged},
    {Method::post, "/api/rules/test", "testPattern", kEventsRead, BodyRule::json, try_pattern},
    {Method::put, "/api/rules/test", "refuseRuleNamedTest", kAdmin, BodyRule::json, refuse_rule_named_test},
    {Method::get, "/api/rules/{name}", "getRule", kEventsRead, BodyRule::none, get_rule},
    {Method::put, "/api/rules/{name}", "putRule", kAdmin, BodyRule::json, put_rule, kTrial},
    {Method::patch, "/api/rules/{name}", "changeRule", kAdmin, BodyRule::json, change_rule, kTrial},
    {Method::delete_, "/api/rules/{name}", "removeRule", kAdmin, BodyRule::none, remove_rule},
    {Method::get, "/api/public-events", "listPublicEvents", kEventsRead, BodyRule::none, list_allowlists, kPaged},
    {Method::get, "/api/public-events/{type}", "getPublicEvent", kEventsRead, BodyRule::none, get_allowlist},
    {Method::put, "/api/public-events/{type}", "putPublicEvent", kAdmin, BodyRule::json, put_allowlist},
    {Method::patch, "/api/public-events/{type}", "changePublicEvent", kAdmin, BodyRule::json, change_allowlist},
    {Method::delete_, "/api/public-events/{type}", "removePublicEvent", kAdmin, BodyRule::none, remove_allowlist},
    {Method::get, "/api/queue/stats", "queueStats", kEventsRead, BodyRule::none, queue_stats},
    {Method::get, "/api/workers", "listWorkers", kEventsRead, BodyRule::none, list_workers, kPaged},
    {Method::get, "/api/tenants", "listTenants", kOperator, BodyRule::none, list_tenants, kPaged},
    {Method::post, "/api/tenants", "createTenant", kOperator, BodyRule::json, create_tenant},
    {Method::get, "/api/tenants/{tenant}", "getTenant", kAdmin, BodyRule::none, get_tenant},
    {Method::patch, "/api/tenants/{tenant}", "changeTenant", kAdmin, BodyRule::json, change_tenant},
    {Method::get, "/api/keys", "listKeys", kAdmin, BodyRule::none, list_keys, kPaged},
    {Method::post, "/api/keys", "createKey", kAdmin, BodyRule::json, create_key},
    {Method::delete_, "/api/keys/{id}", "revokeKey", kAdmin, BodyRule::none, revoke_key},
    {Method::get, "/api/audit", "listAudit", kAdmin, BodyRule::none, list_audit,
     "workspaceId entityType entityId actorId from to limit cursor"},
    {Method::post, "/api/ping", "ping", kEventsWrite, BodyRule::any, ping},
    {Method::get, "/healthz", "healthz", "", BodyRule::none, healthz, kAny},
    {Method::get, "/readyz", "readyz", "", BodyRule::none, readyz, kAny},
    {Method::get, "/metrics", "metrics", kOperator, BodyRule::none, metrics_text, kAny},
    {Method::get, "/openapi.json", "openapi", "", BodyRule::none, openapi_json, kAny},
};

Async<http::Response> run(const Row& row, Services& services, http::Request& request, ErrorStyle style) {
  if (const Result<void> known = Query(request.target.query).refuse_unknown(row.query); !known) {
    co_return http::error_response(known.error(), style);
  }
  try {
    Answer answer = co_await row.operation(services, request);
    if (answer) co_return *std::move(answer);
    // What was in the path may stand in the detail, and a key have been in the path.
    answer.error().detail = without_secrets(answer.error().detail);
    co_return http::error_response(answer.error(), style);
  } catch (const BlobsAway& away) {
    spdlog::error(R"("msg":"the blob store cannot be used","error":{},"requestId":"{}")", quoted(away.what()),
                  request.request_id);
    co_return http::error_response({Errc::unavailable, away.told}, style);
  }
}

// `row` is one of the tables above.
http::Endpoint endpoint_of(const Row& row, std::string_view prefix, ErrorStyle style, Services& services) {
  return {.method = row.method,
          .path = std::string(prefix) + std::string(row.path),
          .name = std::string(row.name),
          .scope = std::string(row.scope),
          .body = row.body,
          .style = style,
          .no_head = row.operation == subscribe,
          .run = [&services, &row, style](http::Request& request) { return run(row, services, request, style); }};
}

}  // namespace

std::string_view query_of(std::string_view operation) {
  for (const std::span<const Row> table : {std::span<const Row>(kQueue), std::span<const Row>(kRest)}) {
    const auto row = std::ranges::find(table, operation, &Row::name);
    if (row != table.end()) return row->query;
  }
  MR_ASSERT(false, "the operation is in the table");
  return {};
}

std::vector<http::Endpoint> make_endpoints(Services& services, std::size_t body_bytes_max) {
  std::vector<http::Endpoint> endpoints;
  for (const std::string_view prefix : {"/events", "/api/queue/events"}) {
    for (const Row& row : kQueue) {
      endpoints.push_back(endpoint_of(row, prefix, ErrorStyle::plain_error, services));
      const bool many = row.operation == create_items || row.operation == settle_items;
      if (many) endpoints.back().body_bytes_max = body_bytes_max;
    }
  }
  for (const Row& row : kRest) {
    endpoints.push_back(endpoint_of(row, "", ErrorStyle::problem, services));
    if (row.operation == publish_events || row.operation == push_schemas)
      endpoints.back().body_bytes_max = body_bytes_max;
    if (row.operation == check_schemas) endpoints.back().body_bytes_max = kCheckBytesMax;
  }
  return endpoints;
}

}  // namespace millrace::api
