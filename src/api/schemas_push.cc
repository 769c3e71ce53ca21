// POST /api/schemas: registers many schemas (S2.4, S2.5). What is refused refuses the whole request, with every reason,
// and nothing is written. Else all types are written in one commit, each on the version that it was planned on; where
// another author was faster it is planned again. What is there already is unchanged, so sending it again is harmless.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "api/query.h"
#include "api/registry.h"
#include "api/schema_push.h"
#include "json/parse.h"

namespace millrace::api {
namespace {

using registry::EventType;

// Each round somebody else has won, so this is only reached by a crowd.
constexpr int kRoundsMax = 8;

struct PushPlan {
  struct Item {
    std::string label;
    std::string type;
    std::string version;
    PushOutcome outcome;
  };
  std::vector<Item> items;    // as they were sent
  std::vector<Draft> drafts;  // what is to be written
  std::vector<http::FieldError> refusals;
  Errc refused = Errc::conflict;  // invalid, if only one of them is
};

void refuse(PushPlan& plan, const std::string& label, const Error& error) {
  // The place of the schema in its type is none in the request.
  const bool own_place = error.field.starts_with('[');
  plan.refusals.push_back({own_place ? error.field : label, error.detail});
  if (error.code != Errc::conflict) plan.refused = error.code;
}

// Lower versions first: a type grows in that order, whatever the order of the files.
std::vector<const PushedSchema*> in_order(const std::vector<PushedSchema>& schemas) {
  std::vector<const PushedSchema*> order;
  for (const PushedSchema& schema : schemas) {
    if (schema.type) order.push_back(&schema);
  }
  std::ranges::sort(order, {}, [](const PushedSchema* schema) {
    return std::pair(schema->type->spec_versions.front().version, schema);  // as sent, where versions are equal
  });
  return order;
}

// A type as it is stored, and as what was pushed so far makes it.
struct Growth {
  std::optional<shard::Document> document;
  std::optional<EventType> type;
  bool changed = false;
};

class Planning {
 public:
  Planning(const engine::Catalog& catalog, TenantId tenant) : catalog_(catalog), tenant_(std::move(tenant)) {}

  Result<PushOutcome> add(const PushedSchema& schema) {
    const std::string& code = schema.type->code;
    auto at = types_.find(code);
    if (at == types_.end()) {
      Growth growth{find_document(catalog_, kEventTypes, tenant_, code), std::nullopt};
      if (growth.document) {
        auto present = type_of(*growth.document);
        if (!present) return std::unexpected(std::move(present.error()));
        growth.type = *std::move(present);
      }
      at = types_.emplace(code, std::move(growth)).first;
    }
    Growth& growth = at->second;
    if (auto seen = check_seen(schema, growth); !seen) return std::unexpected(std::move(seen.error()));
    auto step = push_onto(growth.type, *schema.type);
    if (!step) return std::unexpected(std::move(step.error()));
    growth.type = std::move(step->type);
    growth.changed |= step->outcome != PushOutcome::unchanged;
    return step->outcome;
  }

  // Errc::too_large where they are too much for one commit.
  Result<std::vector<Draft>> drafts(Time now) const {
    std::vector<Draft> drafts;
    std::size_t bytes = 0;
    for (const auto& [code, growth] : types_) {
      if (!growth.changed) continue;
      const auto compose = [&](json::Writer& out, const shard::Document*) {
        write_type(out, *growth.type);
        return Result<void>();
      };
      auto body = compose_body(compose, growth.document, now);
      if (!body) return std::unexpected(std::move(body.error()));
      bytes += body->size();
      if (bytes > kPushBytesMax) return fail(Errc::too_large, "the event types are too large together; push fewer");
      drafts.push_back({code, *std::move(body), growth.document ? growth.document->version : 0});
    }
    return drafts;
  }

 private:
  static Result<void> check_seen(const PushedSchema& schema, const Growth& growth) {
    const std::uint64_t present = growth.document ? growth.document->version : 0;
    if (!schema.if_match || *schema.if_match == present) return {};
    const std::string what = describe(kEventTypes, schema.type->code);
    return fail(Errc::stale_version, present == 0 ? fmt::format("{} does not exist", what)
                                                  : fmt::format("{} is at version {}", what, present));
  }

  const engine::Catalog& catalog_;
  TenantId tenant_;
  std::map<std::string, Growth> types_;
};

Result<PushPlan> plan_push(std::string_view text, const engine::Catalog& catalog, const TenantId& tenant, Time now) {
  const auto body = json::parse(text);
  if (!body) return std::unexpected(json::to_error(body.error()));
  const auto schemas = read_push(body->root());
  if (!schemas) return std::unexpected(schemas.error());
  PushPlan plan;
  for (const PushedSchema& schema : *schemas) {
    if (!schema.type) refuse(plan, schema.label, schema.type.error());
  }
  Planning planning(catalog, tenant);
  std::map<const PushedSchema*, PushOutcome> outcomes;
  for (const PushedSchema* schema : in_order(*schemas)) {
    const auto outcome = planning.add(*schema);
    if (!outcome) {
      refuse(plan, schema->label, outcome.error());
      continue;
    }
    outcomes.emplace(schema, *outcome);
  }
  for (const PushedSchema& schema : *schemas) {
    const auto outcome = outcomes.find(&schema);
    if (outcome == outcomes.end()) continue;
    plan.items.push_back({schema.label, schema.type->code,
                          registry::to_text(schema.type->spec_versions.front().version), outcome->second});
  }
  if (!plan.refusals.empty()) return plan;
  auto drafts = planning.drafts(now);
  if (!drafts) return std::unexpected(std::move(drafts.error()));
  plan.drafts = *std::move(drafts);
  return plan;
}

http::Response show(const PushPlan& plan, bool dry_run) {
  return respond(200, [&](json::Writer& out) {
    out.begin_object();
    if (dry_run) out.member("dryRun", true);
    out.key("items");
    out.begin_array();
    for (const PushPlan::Item& item : plan.items) {
      out.begin_object();
      if (!item.label.starts_with('[')) out.member("file", item.label);
      out.member("type", item.type);
      out.member("version", item.version);
      out.member("result", to_text(item.outcome));
      out.end_object();
    }
    out.end_array();
    for (const PushOutcome outcome : {PushOutcome::created, PushOutcome::updated, PushOutcome::unchanged}) {
      out.member(to_text(outcome), std::ranges::count(plan.items, outcome, &PushPlan::Item::outcome));
    }
    out.end_object();
  });
}

// A version is one document's, and this request writes many.
Result<void> refuse_preconditions(const http::Request& request) {
  for (const std::string_view name : {"If-Match", "If-None-Match"}) {
    if (!request.header(name)) continue;
    return fail(Errc::bad_query, "a push changes many event types and takes no version; leave it out",
                std::string(name));
  }
  return {};
}

}  // namespace

Async<Answer> push_schemas(Services& services, http::Request& request) {
  if (const auto taken = refuse_preconditions(request); !taken) co_return std::unexpected(taken.error());
  const Result<std::optional<bool>> dry_run = Query(request.target.query).boolean("dryRun");
  if (!dry_run) co_return std::unexpected(dry_run.error());
  const TenantId tenant = caller_of(request).tenant;
  Error stale{Errc::stale_version, "the event types are being changed by others"};
  for (int round = 0; round < kRoundsMax; ++round) {
    const auto catalog = services.engine.catalog();
    Result<PushPlan> plan = co_await services.readers.run(
        [&, now = services.clock.now()] { return plan_push(request.body, *catalog, tenant, now); });
    if (!plan) co_return std::unexpected(plan.error());
    if (!plan->refusals.empty()) {
      const auto& first = plan->refusals.front();
      const Error error{plan->refused, first.field + ": " + first.message};
      co_return http::error_response(error, plan->refusals);
    }
    if (dry_run->value_or(false) || plan->drafts.empty()) co_return show(*plan, dry_run->value_or(false));
    auto written = co_await write_documents(services, request, kEventTypes, std::move(plan->drafts));
    if (written) co_return show(*plan, false);
    if (written.error().code != Errc::stale_version) co_return std::unexpected(std::move(written.error()));
    stale = std::move(written.error());
  }
  co_return std::unexpected(std::move(stale));
}

}  // namespace millrace::api
