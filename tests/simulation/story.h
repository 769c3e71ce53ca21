// Hand-made histories for the tests of the auditor: each step plays a shard that does right, and leaves
// the effects open, so that a test can spoil them before the auditor looks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "auditor.h"

namespace millrace::simulation {

class Story {
 public:
  static constexpr ShardId kShard{7};
  const queue::QueueKey queue{TenantId::trusted("t0"), "events"};

  Auditor auditor;
  shard::Effects effects;
  Time now = time_from_ms(1'800'000'000'000);
  Time next_tick = kNever;  // what the shard would say after the step

  explicit Story(shard::ShardOptions options = {}) : auditor(kShard, options) {
    auditor.reloaded({.shard = kShard}, now);
  }

  shard::NewItem new_item() const;
  shard::Outcome outcome(const queue::ItemRecord& leased, bool success) const;

  // Each announces a command and adds what a shard would do; look() shows it to the auditor.
  queue::ItemRecord create(const shard::NewItem& item);
  queue::ItemRecord claim(queue::ItemRecord item, const std::string& worker = "w");
  RequestId wait(const std::string& tag);
  queue::LogEntry settle(queue::ItemRecord& item, const shard::Outcome& outcome);
  queue::LogEntry reset(queue::ItemRecord& item);
  void touch(queue::ItemRecord& item, Millis lease);
  void put_document();
  void tick() { request = {}; }

  void look();
  // Seals and commits what was looked at so far, with counters that fit.
  void commit();
  void seal();
  void deliver();

  // The pieces, for steps that no good shard would take.
  void send(const shard::Command& command);
  void answer(shard::Reply reply) { effects.answers.push_back({request, std::move(reply)}); }
  void write(const queue::ItemRecord& record);
  queue::LogEntry log(const queue::ItemRecord& record, queue::Action action);

  RequestId request;

 private:
  shard::PriorItem prior(const queue::ItemRecord& record) const {
    return {record.placement, record.status, record.parked_at, record.updated};
  }

  std::uint64_t last_request_ = 0;
  std::uint64_t last_item_ = 0;
  std::uint64_t last_log_ = 0;
  std::uint64_t last_token_ = 0;
  std::map<ItemId, queue::ItemRecord> known_;
  std::vector<shard::AuditRecord> audit_;
};

}  // namespace millrace::simulation
