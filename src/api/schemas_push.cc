// POST /api/schemas: registers many schemas (S2.4, S2.5). What is refused refuses the whole request, with every reason,
// and nothing is written. Then the types are written one by one, each whole. What ends that in between (a store that
// fails, another author who was faster) is told with what is written and what is not; sending it again goes on, since
// what is there already is unchanged.
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

struct PushPlan {
  struct Item {
    std::string label;
    std::string type;
    std::string version;
    PushOutcome outcome;
  };
  std::vector<Item> items;                                // as they were sent
  std::map<std::string, std::vector<EventType>> by_type;  // what is to be written, versions ascending
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

Result<PushPlan> plan_push(std::string_view text, const engine::Engine& engine, const TenantId& tenant) {
  const auto body = json::parse(text);
  if (!body) return std::unexpected(json::to_error(body.error()));
  const auto schemas = read_push(body->root());
  if (!schemas) return std::unexpected(schemas.error());
  PushPlan plan;
  for (const PushedSchema& schema : *schemas) {
    if (!schema.type) refuse(plan, schema.label, schema.type.error());
  }
  std::map<std::string, std::optional<EventType>> types;
  std::map<const PushedSchema*, PushOutcome> outcomes;
  for (const PushedSchema* schema : in_order(*schemas)) {
    const std::string& code = schema->type->code;
    auto at = types.find(code);
    if (at == types.end()) {
      const auto document = find_document(engine, kEventTypes, tenant, code);
      auto present = document ? type_of(*document) : Result<EventType>(EventType{});
      if (!present) {
        refuse(plan, schema->label, present.error());
        continue;
      }
      at = types.emplace(code, document ? std::optional(*std::move(present)) : std::nullopt).first;
    }
    auto step = push_onto(at->second, *schema->type);
    if (!step) {
      refuse(plan, schema->label, step.error());
      continue;
    }
    if (step->outcome != PushOutcome::unchanged) plan.by_type[code].push_back(*schema->type);
    outcomes.emplace(schema, step->outcome);
    at->second = std::move(step->type);
  }
  for (const PushedSchema& schema : *schemas) {
    const auto outcome = outcomes.find(&schema);
    if (outcome == outcomes.end()) continue;
    plan.items.push_back({schema.label, schema.type->code,
                          registry::to_text(schema.type->spec_versions.front().version), outcome->second});
  }
  return plan;
}

// The present type with all that was pushed for it; again, because it may have changed since the plan.
Result<void> compose_pushed(json::Writer& out, const shard::Document* present, const std::vector<EventType>& pushed) {
  std::optional<EventType> type;
  if (present != nullptr) {
    auto old = type_of(*present);
    if (!old) return std::unexpected(std::move(old.error()));
    type = *std::move(old);
  }
  for (const EventType& one : pushed) {
    auto step = push_onto(type, one);
    if (!step) return std::unexpected(std::move(step.error()));
    type = std::move(step->type);
  }
  write_type(out, *type);
  return {};
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

http::Response show_break(const Error& why, const PushPlan& plan, std::size_t written) {
  std::vector<std::string> codes;
  for (const auto& [code, pushed] : plan.by_type) codes.push_back(code);
  const auto middle = codes.begin() + static_cast<std::ptrdiff_t>(written);
  const PushBreak broken = push_break(why, {codes.begin(), middle}, {middle, codes.end()});
  std::vector<http::FieldError> fields;
  for (const auto& [code, what] : broken.types) fields.push_back({code, what});
  return http::error_response(broken.error, fields);
}

Async<Answer> write_plan(Services& services, http::Request& request, const PushPlan& plan) {
  std::size_t count = 0;
  for (const auto& [code, pushed] : plan.by_type) {
    const auto compose = [&pushed](json::Writer& out, const shard::Document* present) {
      return compose_pushed(out, present, pushed);
    };
    const auto written = co_await write_document(services, request, kEventTypes, code, compose);
    if (!written) co_return show_break(written.error(), plan, count);
    ++count;
  }
  co_return show(plan, false);
}

}  // namespace

Async<Answer> push_schemas(Services& services, http::Request& request) {
  if (const auto taken = refuse_preconditions(request); !taken) co_return std::unexpected(taken.error());
  const Result<std::optional<bool>> dry_run = Query(request.target.query).boolean("dryRun");
  if (!dry_run) co_return std::unexpected(dry_run.error());
  const TenantId tenant = caller_of(request).tenant;
  const Result<PushPlan> plan =
      co_await services.readers.run([&] { return plan_push(request.body, services.engine, tenant); });
  if (!plan) co_return std::unexpected(plan.error());
  if (!plan->refusals.empty()) {
    const auto& first = plan->refusals.front();
    const Error error{plan->refused, first.field + ": " + first.message};
    co_return http::error_response(error, plan->refusals);
  }
  if (dry_run->value_or(false)) co_return show(*plan, true);
  co_return co_await write_plan(services, request, *plan);
}

}  // namespace millrace::api
