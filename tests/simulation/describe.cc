#include "describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/digest.h"

namespace millrace::simulation {
namespace {

// Times are told relative to the start of every history, in milliseconds.
constexpr std::int64_t kStartMs = 1'800'000'000'000;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

std::string text(const queue::QueueKey& queue) { return fmt::format("{}/{}", queue.tenant.text(), queue.name); }

std::string text(const queue::GroupKey& group) {
  constexpr const char* kModes[] = {"immediate", "next", "block"};
  return fmt::format("{}:{}", group.name, kModes[static_cast<std::size_t>(group.mode)]);
}

std::string text(const queue::RetryPolicy& retry) {
  return fmt::format("{}{}{}..{}", retry.kind == queue::Backoff::fixed ? "fixed" : "exp", retry.jitter ? "~" : " ",
                     retry.base.count(), retry.cap.count());
}

std::string text(const shard::NewItem& item) {
  return fmt::format("[{} bus={} tags={} group={} prio={} max={} retry={} run_at={} key={} print={}]", item.body->title,
                     item.bus, fmt::join(item.tags, ","), item.group ? text(*item.group) : "-", item.priority,
                     item.max_retries, text(item.retry), item.run_at ? describe(*item.run_at) : "-",
                     item.idempotency_key.value_or("-"), item.fingerprint);
}

std::string text(const shard::Claim& claim) {
  return fmt::format("claim {} tags={} by {} limit={} wait={} lease={}", text(claim.queue), fmt::join(claim.tags, ","),
                     claim.worker, claim.limit, claim.wait.count(), claim.lease.count());
}

std::string text(const shard::Holder& holder) {
  return fmt::format("#{} by {} attempt={} token={}", holder.item.value, holder.worker,
                     holder.attempt ? fmt::to_string(*holder.attempt) : "-",
                     holder.token ? fmt::to_string(holder.token->value) : "-");
}

std::string text(const shard::Outcome& outcome) {
  return fmt::format("[{} {}]", outcome.success ? "complete" : "fail", text(outcome.holder));
}

std::string text(const shard::NewEvent& event) {
  constexpr const char* kIdentities[] = {"id", "source+id", "made"};
  const auto& h = event.header;
  return fmt::format("[{} from {} by {} dedup={} type={} expires={}]", h.event_id, h.source,
                     kIdentities[static_cast<std::size_t>(event.identity)], event.deduplication_id.value_or("-"),
                     h.type, h.expires ? describe(*h.expires) : "-");
}

template <class Range, class Map>
std::string list(const Range& range, Map map) {
  std::string all;
  for (const auto& element : range) {
    if (!all.empty()) all += ' ';
    all += map(element);
  }
  return all;
}

std::string ids_of(const std::vector<queue::ItemRecord>& items) {
  return list(items, [](const queue::ItemRecord& r) { return describe(r); });
}

std::string number(const std::optional<std::int64_t>& value) { return value ? fmt::to_string(*value) : "-"; }

std::string text(const Result<shard::OutcomeRecorded>& outcome) {
  if (!outcome) return fmt::format("[error {} {}]", static_cast<int>(outcome.error().code), outcome.error().detail);
  return fmt::format("[{}{} of {}]", outcome->repeated ? "again " : "", describe(outcome->entry), outcome->max_retries);
}

std::string text(const shard::TenantCounters& c) {
  const std::string queues = list(
      c.queues, [](const shard::QueueCounts& q) { return fmt::format("{}:{}", q.queue, fmt::join(q.by_status, "/")); });
  return fmt::format("{} items<={} log<={} audit<={} {}", c.tenant.text(), c.last_item, c.last_log, c.last_audit,
                     queues);
}

}  // namespace

std::string describe(Time time) {
  if (time == kNever) return "never";
  return fmt::to_string(to_ms(time) - (time == Time{} ? 0 : kStartMs));
}

std::string describe(const queue::ItemRecord& r) {
  constexpr const char* kPlacements[] = {"live", "parked", "done"};
  std::string all = fmt::format(
      "{}#{} {} {} prio={} due={}{} tries={}/{} attempt={} updated={}", r.lane ? text(r.lane->queue) : "?", r.id.value,
      queue::status_name(r.status), kPlacements[static_cast<std::size_t>(r.placement)], r.priority, describe(r.due),
      r.retry_wait ? "(retry)" : "", r.retry_count, r.max_retries, r.attempt, describe(r.updated));
  if (r.placement == queue::Placement::parked) all += fmt::format(" parked_at={}", describe(r.parked_at));
  if (r.lane) all += fmt::format(" bus={} tags={}", r.lane->bus, fmt::join(r.lane->tags, ","));
  if (r.group) all += fmt::format(" group={}", text(*r.group));
  if (r.lease.token.value != 0) {
    all += fmt::format(" lease={} until {} by {}", r.lease.token.value, describe(r.lease.until),
                       r.lease.worker ? *r.lease.worker : "?");
  }
  return all;
}

std::string describe(const queue::LogEntry& e) {
  return fmt::format("log{} #{} {} attempt={} token={} by {} at {} code={} took={} error={} reason={} next={} tries={}",
                     e.id.value, e.item.value, queue::action_name(e.action), e.attempt, e.token.value, e.worker,
                     describe(e.created), number(e.status_code), number(e.execution_time_ms),
                     e.error_message.value_or("-"), e.reason.value_or("-"),
                     e.next_retry_at ? describe(*e.next_retry_at) : "-", e.retry_count);
}

std::string describe(const event::Record& r) {
  return fmt::format("event {}@{} tsid={} {} from {} received={} expires={}", r.tenant.text(), r.position.value, r.tsid,
                     r.header.event_id, r.header.source, describe(r.received),
                     r.header.expires ? describe(*r.header.expires) : "-");
}

std::string describe(const shard::Command& command) {
  return std::visit(
      Overloaded{
          [](const shard::Create& c) {
            return fmt::format("create {} {}", text(c.queue), list(c.items, [](const auto& i) { return text(i); }));
          },
          [](const shard::Claim& c) { return text(c); },
          [](const shard::Touch& c) {
            return fmt::format("{} {} {} lease={}", c.kind == shard::Touch::Kind::start ? "start" : "heartbeat",
                               text(c.queue), text(c.holder), c.lease.count());
          },
          [](const shard::Settle& c) {
            return fmt::format("settle {} {}{}{}", text(c.queue),
                               list(c.outcomes, [](const auto& o) { return text(o); }), c.claim ? ", " : "",
                               c.claim ? text(*c.claim) : "");
          },
          [](const shard::Reset& c) { return fmt::format("reset {}#{} {}", text(c.queue), c.item.value, c.reason); },
          [](const shard::Cancel& c) { return fmt::format("cancel {}#{} {}", text(c.queue), c.item.value, c.reason); },
          [](const shard::Release& c) {
            return fmt::format("release {}#{} token={}", text(c.queue), c.item.value, c.token.value);
          },
          [](const shard::SetPaused& c) {
            return fmt::format("{} {} bus={}", c.paused ? "pause" : "resume", text(c.queue), c.bus);
          },
          [](const shard::Expire& c) {
            return fmt::format("expire before {}: {}", describe(c.before), list(c.items, [](const auto& i) {
                                 return fmt::format("{}#{}", text(i.queue), i.id.value);
                               }));
          },
          [](const shard::Refill& c) {
            return fmt::format("refill from {}{}: {}", describe(c.from), c.complete ? " complete" : "", ids_of(c.rows));
          },
          [](const shard::EndWait& c) { return fmt::format("end wait of r{}", c.request.value); },
          [](const shard::ListWorkers& c) { return fmt::format("list workers {}", text(c.queue)); },
          [](const shard::ListLeased& c) { return fmt::format("list leased {}", text(c.queue)); },
          [](const shard::CountItems& c) { return fmt::format("count {}", text(c.queue)); },
          [](const shard::PutDocument& c) {
            return fmt::format("put {}/{} {} expects {}", c.kind, c.key, c.body,
                               c.expected_version ? fmt::to_string(*c.expected_version) : "-");
          },
          [](const shard::PutDocuments& c) {
            return fmt::format("put {}", list(c.documents, [](const shard::PutDocument& put) {
                                 return fmt::format("{}/{} expects {}", put.kind, put.key,
                                                    put.expected_version ? fmt::to_string(*put.expected_version) : "-");
                               }));
          },
          [](const shard::RemoveDocument& c) {
            return fmt::format("remove {}/{} expects {}", c.kind, c.key,
                               c.expected_version ? fmt::to_string(*c.expected_version) : "-");
          },
          [](const shard::AppendEvents& c) {
            return fmt::format("append {} {}", c.tenant.text(), list(c.events, [](const auto& e) { return text(e); }));
          },
          [](const shard::ExpireEvents& c) {
            return fmt::format("expire events {}", list(c.events, [](const auto& e) { return describe(e); }));
          },
      },
      command);
}

std::string describe(const shard::Reply& reply) {
  return std::visit(
      Overloaded{
          [](const Error& e) { return fmt::format("error {} {}", static_cast<int>(e.code), e.detail); },
          [](const shard::Created& r) {
            return "created " + list(r.items, [](const shard::CreatedItem& i) {
                     return i.existing ? fmt::format("[existing #{}]", i.id.value) : describe(i.record);
                   });
          },
          [](const shard::Claimed& r) { return "claimed " + ids_of(r.items); },
          [](const shard::Touched& r) {
            return fmt::format("touched #{} by {} attempt={} at {} until {}", r.item.value, r.worker, r.attempt,
                               describe(r.at), describe(r.lease_until));
          },
          [](const shard::Settled& r) {
            return fmt::format("settled {} claimed {}", list(r.outcomes, [](const auto& o) { return text(o); }),
                               ids_of(r.claimed));
          },
          [](const shard::Recorded& r) { return "recorded " + describe(r.entry); },
          [](const shard::Ack&) { return std::string("ack"); },
          [](const shard::Expired& r) { return fmt::format("expired {}", r.dropped); },
          [](const shard::Workers& r) {
            return "workers " + list(r.workers, [](const shard::WorkerState& w) {
                     return fmt::format("{} seen {} holds {}", w.worker, describe(w.last_seen), w.held);
                   });
          },
          [](const shard::Leased& r) {
            return "leased " + list(r.items, [](ItemId id) { return fmt::to_string(id.value); });
          },
          [](const shard::Counts& r) { return fmt::format("counts {}", fmt::join(r.by_status, "/")); },
          [](const shard::Documents& r) { return fmt::format("{} documents", r.documents.size()); },
          [](const shard::Document& r) { return fmt::format("document {}/{} v{}", r.kind, r.key, r.version); },
          [](const shard::Appended& r) {
            return "appended " + list(r.events, [](const shard::AppendedEvent& e) {
                     return fmt::format("{}{}", e.position.value, e.duplicate ? "(again)" : "");
                   });
          },
      },
      reply);
}

std::string describe(const shard::Need& need) {
  return fmt::format("needs items {} keys {}",
                     list(need.items, [](const auto& i) { return fmt::format("{}#{}", text(i.queue), i.id.value); }),
                     list(need.dedup, [](const auto& k) { return k.tenant.text() + ":" + k.key; }));
}

std::string describe(const shard::Batch& batch) {
  std::string all;
  for (const auto& w : batch.items) all += (w.body ? "  new " : "  write ") + describe(w.record) + "\n";
  for (const auto& d : batch.drops) all += "  drop " + describe(d.record) + "\n";
  for (const auto& l : batch.log) all += "  " + describe(l.entry) + "\n";
  for (const auto& d : batch.dedup) {
    all += fmt::format("  key {}:{} -> {} {} until {}\n", d.key.tenant.text(), d.key.key, d.made, d.fingerprint,
                       describe(d.expires));
  }
  for (const auto& c : batch.counters) all += "  counters " + text(c) + "\n";
  for (const auto& d : batch.documents) {
    all += fmt::format("  document {}/{} v{}{}\n", d.document.kind, d.document.key, d.document.version,
                       d.removed ? " removed" : "");
  }
  for (const auto& a : batch.audit) {
    all += fmt::format("  audit {} {} {} {}\n", a.tenant.text(), a.seq.value, a.action, to_hex(a.hash).substr(0, 8));
  }
  for (const auto& w : batch.workers) {
    all += fmt::format("  worker {} {} seen {}\n", text(w.queue), w.worker, describe(w.last_seen));
  }
  for (const auto& e : batch.events) all += "  " + describe(*e) + "\n";
  for (const auto& d : batch.event_drops) {
    all += fmt::format("  drop event {}@{}\n", d.tenant.text(), d.position.value);
  }
  for (const auto& w : batch.worker_drops) all += fmt::format("  worker {} {} forgotten\n", text(w.queue), w.worker);
  return all;
}

}  // namespace millrace::simulation
