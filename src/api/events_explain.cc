// GET /api/events/{id}/explain?rule=NAME: why a stored event matches a rule, or the first field that does not (S2.8).
#include <fmt/format.h>

#include "api/events.h"
#include "api/explanation.h"
#include "api/policy_book.h"
#include "api/query.h"
#include "match/explain.h"

namespace millrace::api {

void write_explanation(json::Writer& out, const match::Explanation& explanation) {
  out.member("matches", explanation.matches);
  out.key("why");
  out.begin_array();
  for (const match::Reason& reason : explanation.why) {
    out.begin_object();
    out.member("path", reason.path);
    out.member("expected", reason.expected);
    out.member("seen", reason.seen);
    out.end_object();
  }
  out.end_array();
}

Async<Answer> explain_event(Services& services, http::Request& request) {
  const auto name = Query(request.target.query).required_text("rule", 255);
  if (!name) co_return std::unexpected(name.error());
  const Result<event::Record> found = co_await find_event(services, request);
  if (!found) co_return std::unexpected(found.error());
  const auto policies = services.policies.of(found->tenant);
  const intake::CompiledRule* rule = policies->find_rule(*name);
  if (rule == nullptr) co_return fail(Errc::not_found, fmt::format("there is no rule \"{}\"", *name), "rule");
  if (!rule->pattern) co_return fail(Errc::conflict, fmt::format("the pattern of rule \"{}\" does not compile", *name));

  const event::View view(*found);
  const bool other_bus = !rule->bus.empty() && rule->bus != found->header.bus;
  match::Explanation explanation = match::explain(*rule->pattern, intake::MatchableView(view).get());
  if (!rule->enabled) explanation.why.insert(explanation.why.begin(), {"enabled", "true", "false"});
  if (other_bus) explanation.why.insert(explanation.why.begin(), {"bus", rule->bus, found->header.bus});
  explanation.matches = explanation.matches && rule->enabled && !other_bus;
  co_return respond(200, [&](json::Writer& out) {
    out.begin_object();
    out.member("eventId", found->header.event_id);
    out.member("rule", rule->name);
    write_explanation(out, explanation);
    out.end_object();
  });
}

}  // namespace millrace::api
