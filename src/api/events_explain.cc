// GET /api/events/{id}/explain: why a stored event matches a rule, or the first field that does not (S2.8). With
// ?rule=NAME for that rule, else for all of them, page by page. Rules saw the event before its large fields went to the
// blob store (S0.9), so they come back first.
#include <fmt/format.h>

#include <algorithm>

#include "api/events.h"
#include "api/explanation.h"
#include "api/page.h"
#include "api/policy_book.h"
#include "api/query.h"
#include "match/explain.h"

namespace millrace::api {
namespace {

constexpr std::string_view kListing = "explanations";

// An event as it was published, or with its reference where the blob store has its data no more.
struct Subject {
  event::Record event;
  std::string missing;  // what is; "" for nothing
};

Async<Subject> with_data(Services& services, event::Record stored) {
  std::vector<event::Record> events{std::move(stored)};
  const Result<void> resolved = co_await resolve_events(services.blobs, events, LostBlob::refused);
  co_return Subject{std::move(events.front()), resolved ? "" : resolved.error().detail};
}

bool looks_at_data(const match::Node& node) {
  const std::string_view first = std::string_view(node.path).substr(0, node.path.find('.'));
  const bool here = node.kind == match::Node::Kind::field &&
                    (first == "detail" || first == "data" || first == "properties" || first == "data_base64");
  return here || std::ranges::any_of(node.children, looks_at_data);
}

// Whether the pattern itself matches: never a verdict on data that nobody can see.
match::Explanation explain_pattern(const match::Pattern& pattern, const Subject& subject,
                                   const match::EventView& view) {
  if (subject.missing.empty() || !looks_at_data(pattern.root())) return match::explain(pattern, view);
  return {.matches = false, .why = {{"detail", "the data as it was published", subject.missing}}};
}

match::Explanation explain_rule(const intake::CompiledRule& rule, const Subject& subject,
                                const match::EventView& view) {
  if (!rule.pattern) return {.matches = false, .why = {{"pattern", "one that compiles", "one that does not"}}};
  const event::Record& event = subject.event;
  match::Explanation explanation = explain_pattern(*rule.pattern, subject, view);
  const bool other_bus = !rule.bus.empty() && rule.bus != event.header.bus;
  if (!rule.enabled) explanation.why.insert(explanation.why.begin(), {"enabled", "true", "false"});
  if (other_bus) explanation.why.insert(explanation.why.begin(), {"bus", rule.bus, event.header.bus});
  explanation.matches = explanation.matches && rule.enabled && !other_bus;
  return explanation;
}

void write_verdict_members(json::Writer& out, const intake::CompiledRule& rule, const Subject& subject,
                           const match::EventView& view) {
  out.member("rule", rule.name);
  write_explanation(out, explain_rule(rule, subject, view));
}

http::Response explain_one(const intake::CompiledRule& rule, const Subject& subject) {
  const event::View view(subject.event);
  return respond(200, [&](json::Writer& out) {
    out.begin_object();
    out.member("eventId", subject.event.header.event_id);
    write_verdict_members(out, rule, subject, intake::MatchableView(view).get());
    out.end_object();
  });
}

http::Response explain_page(const intake::Policies& policies, const Subject& subject, const Page& page) {
  const event::View view(subject.event);
  const intake::MatchableView matchable(view);
  const auto& rules = policies.rules();
  const auto name_of = [](const auto& rule) -> std::string_view { return rule->name; };
  const auto first = page.after ? std::ranges::upper_bound(rules, *page.after, {}, name_of) : rules.begin();
  const auto count = std::min(page.limit, static_cast<std::size_t>(rules.end() - first));
  const auto end = first + static_cast<std::ptrdiff_t>(count);
  return respond(200, [&](json::Writer& out) {
    out.begin_object();
    out.member("eventId", subject.event.header.event_id);
    out.key("items");
    out.begin_array();
    for (auto rule = first; rule != end; ++rule) {
      out.begin_object();
      write_verdict_members(out, **rule, subject, matchable.get());
      out.end_object();
    }
    out.end_array();
    write_next_cursor(out, kListing, end == rules.end() ? std::nullopt : std::optional((*(end - 1))->name));
    out.end_object();
  });
}

}  // namespace

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
  const auto name = Query(request.target.query).text("rule", 255);
  if (!name) co_return std::unexpected(name.error());
  const Result<Page> page = read_page(request, kListing);
  if (!page) co_return std::unexpected(page.error());
  Result<event::Record> found = co_await find_event(services, request);
  if (!found) co_return std::unexpected(found.error());
  const Subject subject = co_await with_data(services, *std::move(found));
  const PolicyBook::Pointer policies = co_await services.policies.get(subject.event.tenant, services.readers);
  if (!*name) co_return co_await services.readers.run([&] { return explain_page(*policies, subject, *page); });
  const intake::CompiledRule* rule = policies->find_rule(**name);
  if (rule == nullptr) co_return fail(Errc::not_found, fmt::format("there is no rule \"{}\"", **name), "rule");
  co_return explain_one(*rule, subject);
}

}  // namespace millrace::api
