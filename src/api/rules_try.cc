// POST /api/rules/test: does this pattern match this event, and if not, which field is to blame (S2.8).
#include "api/explanation.h"
#include "api/rules.h"
#include "event/body.h"
#include "event/normalise.h"
#include "event/shown.h"
#include "event/view.h"
#include "intake/policies.h"
#include "intake/rule.h"
#include "json/known_fields.h"
#include "json/object_reader.h"
#include "match/explain.h"

namespace millrace::api {
namespace {

struct Tried {
  match::Explanation explanation;
  std::string_view seen_as;  // "object": as it was sent; "event": as a rule sees it when it is published
};

// Whether the sender wrote it as the bus shows events.
bool is_bus_form(json::Value event) { return event.find("detail-type") || event.find("detail"); }

// What rules would see if this were published; nullopt where it could not be.
std::optional<Tried> try_as_event(const match::Pattern& pattern, std::string_view sent, const TenantId& tenant,
                                  Time now) {
  Result<event::Drafts> drafts = event::read_body("application/json", {}, sent);
  if (!drafts || drafts->shape != event::Shape::one || !drafts->events.front()) return std::nullopt;
  const event::Arrival arrival{.tenant = tenant, .reach = event::Reach::every_tenant, .now = now};
  const Result<event::NewEvent> event = event::normalise(*std::move(drafts->events.front()), arrival, {});
  if (!event) return std::nullopt;
  const event::View view(*event);
  return Tried{match::explain(pattern, intake::MatchableView(view).get()), "event"};
}

Tried try_event(const match::Pattern& pattern, json::Value sent, const TenantId& tenant, Time now) {
  if (!is_bus_form(sent)) {
    const std::optional<std::string> stored = event::as_sent(sent);
    auto tried = try_as_event(pattern, stored ? std::string_view(*stored) : sent.raw(), tenant, now);
    if (tried) return *std::move(tried);
  }
  return {match::explain(pattern, match::EventView(sent)), "object"};
}

Result<Tried> read_and_try(const http::Request& request, Time now) {
  const Result<json::Value> body = json_body(request);
  if (!body) return std::unexpected(body.error());
  const auto in = json::ObjectReader::open(*body);
  if (!in) return std::unexpected(in.error());
  const auto known = json::refuse_unknown(*in, "a test", {"pattern", "event", "dialect"});
  if (!known) return std::unexpected(known.error());
  const Result<json::Value> pattern = in->required_value("pattern");
  if (!pattern) return std::unexpected(pattern.error());
  const Result<json::Value> event = in->required_value("event");
  if (!event) return std::unexpected(event.error());
  if (!event->is(json::Kind::object)) return fail(Errc::invalid, "\"event\" must be an object", "event");
  const auto dialect = intake::read_dialect(*in);
  if (!dialect) return std::unexpected(dialect.error());
  const auto compiled = intake::compile_pattern(*pattern, *dialect);
  if (!compiled) return std::unexpected(compiled.error());
  return try_event(*compiled, *event, caller_of(request).tenant, now);
}

}  // namespace

Async<Answer> refuse_rule_named_test(Services&, http::Request&) {
  co_return std::unexpected(intake::check_rule_name("test").error());
}

Async<Answer> try_pattern(Services& services, http::Request& request) {
  const Result<Tried> tried = read_and_try(request, services.clock.now());
  if (!tried) co_return std::unexpected(tried.error());
  co_return respond(200, [&](json::Writer& out) {
    out.begin_object();
    write_explanation(out, tried->explanation);
    out.member("seenAs", tried->seen_as);
    out.end_object();
  });
}

}  // namespace millrace::api
