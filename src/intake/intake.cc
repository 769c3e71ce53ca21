#include "intake/intake.h"

#include <fmt/format.h>

#include <utility>

namespace millrace::intake {
namespace {

Refusal refused(Error error) {
  Refusal refusal{std::move(error), {}};
  if (!refusal.error.field.empty()) refusal.fields.push_back({refusal.error.field, refusal.error.detail});
  return refusal;
}

// The draft at this index, which could not be read. What is missing is told whole.
Refusal refused_unread(event::Drafts& drafts, std::size_t index) {
  Refusal refusal = refused(std::move(drafts.events[index].error()));
  const std::vector<Error> missing = event::missing_fields(drafts, index, refusal.error);
  if (missing.size() < 2) return refusal;
  refusal.fields.clear();
  std::string names;
  for (const Error& error : missing) {
    refusal.fields.push_back({error.field, error.detail});
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", error.field);
  }
  refusal.error.detail = names + " are required";
  return refusal;
}

// In an array, which event is meant: "[3].type", "[3]/data/amount".
void place(Refusal& refusal, std::size_t element) {
  const auto mark = [&](std::string& field) {
    const char* const joint = field.empty() || field.front() == '/' || field.front() == '[' ? "" : ".";
    field = fmt::format("[{}]{}{}", element, joint, field);
  };
  mark(refusal.error.field);
  for (FieldError& field : refusal.fields) mark(field.field);
}

shard::NewEvent::Identity identity_of(event::Identity identity) {
  switch (identity) {
    case event::Identity::event_id:
      return shard::NewEvent::Identity::event_id;
    case event::Identity::source_and_id:
      return shard::NewEvent::Identity::source_and_id;
    case event::Identity::made_by_us:
      break;
  }
  return shard::NewEvent::Identity::made;
}

Verdict examine_one(event::Draft draft, const event::Arrival& arrival, const Policies& policies, const Random& random) {
  Result<event::NewEvent> event = event::normalise(std::move(draft), arrival, random());
  if (!event) return std::unexpected(refused(std::move(event.error())));
  if (event->audit) {  // rather than to lose it behind a 201
    return std::unexpected(
        refused({Errc::invalid, "an audit entry beside the event is not taken yet: leave it out", "audit"}));
  }
  if (auto refusal = policies.check(*event)) return std::unexpected(*std::move(refusal));

  Accepted accepted{.event = {}, .tenant = event->tenant, .rules = {}, .warning = policies.warning(*event)};
  if (policies.any_rules()) {
    accepted.rules = policies.matches(event::View(*event, policies.key_fields()), event->header.bus);
  }
  accepted.event.identity = identity_of(event->identity);
  if (!event->deduplication_id.empty()) accepted.event.deduplication_id = std::move(event->deduplication_id);
  accepted.event.header = std::move(event->header);
  accepted.event.rest = std::move(event->rest);
  return accepted;
}

}  // namespace

std::vector<Verdict> examine(event::Drafts& drafts, const event::Arrival& arrival, const Policies& policies,
                             const Random& random) {
  std::vector<Verdict> verdicts;
  verdicts.reserve(drafts.events.size());
  for (std::size_t i = 0; i < drafts.events.size(); ++i) {
    Result<event::Draft>& draft = drafts.events[i];
    if (!draft) {  // its path names the element already
      verdicts.emplace_back(std::unexpected(refused_unread(drafts, i)));
      continue;
    }
    const bool placed = draft->element.has_value();
    Verdict verdict = examine_one(*std::move(draft), arrival, policies, random);
    if (!verdict && drafts.shape == event::Shape::array && !(placed && verdict.error().error.field.starts_with('['))) {
      place(verdict.error(), i);
    }
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace millrace::intake
