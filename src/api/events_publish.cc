// POST /api/events: one event or many, in every envelope (S3.1, S3.2, S2.1, S0.2).
#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <cstring>

#include "api/ask.h"
#include "api/event_view.h"
#include "api/events.h"
#include "api/policy_book.h"
#include "api/query.h"
#include "api/reads.h"
#include "base/assert.h"
#include "event/body.h"
#include "intake/intake.h"

namespace millrace::api {
namespace {

constexpr std::size_t kFieldErrorsMax = 100;

// Drawn in blocks: a call to the kernel for every event would cost more than reading the event.
std::array<std::uint8_t, 10> random_bytes() {
  thread_local std::array<std::uint8_t, 2560> block;
  thread_local std::size_t used = block.size();
  if (used == block.size()) {
    MR_ASSERT(getrandom(block.data(), block.size(), 0) == static_cast<ssize_t>(block.size()), "the kernel has noise");
    used = 0;
  }
  std::array<std::uint8_t, 10> drawn;
  std::memcpy(drawn.data(), block.data() + used, drawn.size());
  used += drawn.size();
  return drawn;
}

Result<event::Drafts> read_drafts(const http::Request& request) {
  std::vector<event::HeaderField> fields;
  fields.reserve(request.head.fields.size());
  for (const http::Field& field : request.head.fields) fields.push_back({field.name, field.value});
  return event::read_body(request.header("Content-Type").value_or(""), fields, request.body);
}

// An operator's events may belong to any tenant, unless the request says which one it is about.
event::Reach reach_of(const http::Request& request) {
  const bool anywhere = caller_of(request).is_operator() && !request.header("X-Millrace-Tenant");
  return anywhere ? event::Reach::every_tenant : event::Reach::own_tenant;
}

// Whose policies hold: the caller's tenant, or the one that an operator's events name.
TenantId tenant_of(const event::Drafts& drafts, const Caller& caller, event::Reach reach) {
  if (reach == event::Reach::own_tenant) return caller.tenant;
  for (const auto& draft : drafts.events) {
    if (!draft || draft->tenant.empty()) continue;
    if (const auto named = TenantId::parse(draft->tenant)) return *named;
  }
  return caller.tenant;
}

std::optional<Error> check_tenants(const std::vector<intake::Verdict>& verdicts, const TenantId& tenant) {
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (!verdicts[i] || verdicts[i]->tenant == tenant) continue;
    return Error{Errc::invalid,
                 fmt::format("the events of one request belong to one tenant; this one names \"{}\", not \"{}\"",
                             verdicts[i]->tenant.text(), tenant.text()),
                 fmt::format("[{}].tenantId", i)};
  }
  return std::nullopt;
}

// Everything that is wrong with the request, the first refusal's words in front.
http::Response refuse_all(const std::vector<intake::Verdict>& verdicts) {
  const Error* first = nullptr;
  std::vector<http::FieldError> fields;
  for (const auto& verdict : verdicts) {
    if (verdict) continue;
    if (first == nullptr) first = &verdict.error().error;
    for (const auto& field : verdict.error().fields) {
      if (fields.size() < kFieldErrorsMax) fields.push_back({field.field, field.message});
    }
  }
  return http::error_response(*first, fields);
}

void write_refusal(json::Writer& out, const intake::Refusal& refusal) {
  out.begin_object();
  out.key("error");
  out.begin_object();
  out.member("status", http::status_of(refusal.error.code));
  out.member("detail", refusal.error.detail);
  out.key("errors");
  out.begin_array();
  for (const auto& field : refusal.fields) {
    out.begin_object();
    out.member("field", field.field);
    out.member("message", field.message);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  out.end_object();
}

// What a request says of an event, for the answer to a repeat of one that is gone.
struct Sent {
  std::string event_id;  // "" where the sender gave none
  std::string type;
};

// Nothing of an event that cannot be a repeat: most bring no id.
Sent sent_of(const shard::NewEvent& event) {
  const bool has_id = event.identity != shard::NewEvent::Identity::made;
  if (!has_id && !event.deduplication_id) return {};
  return {has_id ? event.header.event_id : std::string(), event.header.type};
}

struct Outcome {
  std::vector<shard::AppendedEvent> events;              // of the accepted ones, in their order
  std::vector<std::optional<event::Record>> duplicates;  // by the same index
  std::vector<Sent> sent;                                // likewise
  std::size_t repeated = 0;
};

// Duplicates are answered with the event that they repeat.
Async<Outcome> look_up(Services& services, ShardId shard, const TenantId& tenant, shard::Appended appended,
                       std::vector<Sent> sent) {
  Outcome outcome{.events = std::move(appended.events), .duplicates = {}, .sent = std::move(sent), .repeated = 0};
  outcome.duplicates.resize(outcome.events.size());
  std::vector<Position> positions;
  for (const auto& event : outcome.events) {
    if (event.duplicate) positions.push_back(event.position);
  }
  outcome.repeated = positions.size();
  if (positions.empty()) co_return outcome;
  auto found = co_await read_point(
      services, [&store = services.engine.store(), shard, tenant, positions, horizon = horizon_of(services)] {
        return store.events_at(shard, tenant, positions, horizon);
      });
  auto next = found.begin();
  for (std::size_t i = 0; i < outcome.events.size(); ++i) {
    if (outcome.events[i].duplicate) outcome.duplicates[i] = std::move(*next++);
  }
  co_return outcome;
}

// The event that this one repeats is gone; what is left of it is where it stood.
void write_expired(json::Writer& out, Position position, const Sent& sent) {
  out.begin_object();
  if (!sent.event_id.empty()) out.member("eventId", sent.event_id);
  out.member("type", sent.type);
  out.member("position", position);
  out.member("duplicate", true);
  out.member("expired", true);
  out.end_object();
}

void write_outcome(json::Writer& out, const Outcome& outcome, std::size_t i) {
  const shard::AppendedEvent& event = outcome.events[i];
  const event::Record* record =
      event.duplicate ? (outcome.duplicates[i] ? &*outcome.duplicates[i] : nullptr) : event.record.get();
  if (record != nullptr) {
    return write_event(out, *record, event::Envelope::native,
                       {.properties = event::Properties::when_keyed, .dispatch_jobs = 0, .duplicate = event.duplicate});
  }
  write_expired(out, event.position, outcome.sent[i]);
}

http::Response show_one(const Outcome& outcome) {
  return respond(outcome.repeated > 0 ? 200 : 201, [&](json::Writer& out) { write_outcome(out, outcome, 0); });
}

http::Response show_many(const Outcome& outcome, const std::vector<intake::Verdict>& verdicts, bool partial) {
  const bool only_repeats = outcome.repeated == outcome.events.size();
  return respond(partial        ? 207
                 : only_repeats ? 200
                                : 201,
                 [&](json::Writer& out) {
                   out.begin_object();
                   out.key("items");
                   out.begin_array();
                   std::size_t next = 0;
                   for (const auto& verdict : verdicts) {
                     if (verdict) {
                       write_outcome(out, outcome, next++);
                     } else {
                       write_refusal(out, verdict.error());
                     }
                   }
                   out.end_array();
                   out.member("accepted", outcome.events.size() - outcome.repeated);
                   out.member("duplicates", outcome.repeated);
                   if (partial) out.member("refused", verdicts.size() - outcome.events.size());
                   out.end_object();
                 });
}

void add_warnings(http::Response& response, const std::vector<intake::Verdict>& verdicts) {
  constexpr std::size_t kWarningsMax = 3;
  std::vector<std::string> told;
  for (const auto& verdict : verdicts) {
    if (!verdict || verdict->warning.empty() || told.size() == kWarningsMax) continue;
    if (std::ranges::find(told, verdict->warning) == told.end()) told.push_back(verdict->warning);
  }
  for (std::string& warning : told) response.headers.emplace_back("X-Millrace-Warning", std::move(warning));
}

}  // namespace

Async<Answer> publish_events(Services& services, http::Request& request) {
  const Result<std::optional<bool>> partial = Query(request.target.query).boolean("partial");
  if (!partial) co_return std::unexpected(partial.error());
  Result<event::Drafts> drafts = read_drafts(request);
  if (!drafts) co_return std::unexpected(std::move(drafts.error()));

  const Caller& caller = caller_of(request);
  const TenantId tenant = tenant_of(*drafts, caller, reach_of(request));
  const event::Arrival arrival{.tenant = caller.tenant,
                               .reach = reach_of(request),
                               .now = services.clock.now(),
                               .correlation_id = request.correlation_id};
  PolicyBook::Pointer policies = services.policies.find(tenant);
  if (!policies) policies = co_await services.policies.get(tenant, services.readers);
  std::vector<intake::Verdict> verdicts = intake::examine(*drafts, arrival, *policies, random_bytes);
  if (auto foreign = check_tenants(verdicts, tenant)) co_return std::unexpected(*std::move(foreign));
  const bool array = drafts->shape == event::Shape::array;
  const bool any_refused = std::ranges::any_of(verdicts, [](const auto& verdict) { return !verdict; });
  const bool tolerant = array && partial->value_or(false);
  if (any_refused && !tolerant) co_return refuse_all(verdicts);

  shard::AppendEvents command{.tenant = tenant, .events = {}};
  std::vector<Sent> sent;
  for (auto& verdict : verdicts) {
    if (!verdict) continue;
    sent.push_back(sent_of(verdict->event));
    command.events.push_back(std::move(verdict->event));
  }
  shard::Appended appended;
  ShardId shard;
  if (!command.events.empty()) {
    const Result<ShardId> home = co_await services.tenants.shard_for(tenant, asker_of(request));
    if (!home) co_return std::unexpected(home.error());
    shard = *home;
    co_await move_large_fields(services.blobs, tenant, command.events);
    auto answer = co_await ask<shard::Appended>(services.engine, shard, std::move(command));
    if (!answer) co_return std::unexpected(std::move(answer.error()));
    appended = *std::move(answer);
  }
  const Outcome outcome = co_await look_up(services, shard, tenant, std::move(appended), std::move(sent));
  http::Response response = array ? show_many(outcome, verdicts, tolerant) : show_one(outcome);
  add_warnings(response, verdicts);
  co_return response;
}

}  // namespace millrace::api
