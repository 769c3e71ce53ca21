// One history from its seed: clients, faults and a shard, then calm until every item has ended.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "auditor.h"
#include "clients.h"
#include "runner.h"
#include "timeline.h"
#include "trace.h"

namespace millrace::simulation {

class History {
 public:
  History(std::uint64_t seed, Trace& trace);
  // Throws Violation.
  void run(int steps);

 private:
  void act();
  void send(shard::Command command);
  void hear(const shard::Command& command, bool vanished, std::optional<shard::Reply> reply);
  void send_after(Millis delay, shard::Command command);
  void expire();
  void expire_events();
  void vanish();
  void end_everything();
  bool close_round();
  void wait_for_more();
  Millis until_something_is_due() const;

  Random random_;
  Profile profile_;
  Timeline timeline_;
  Trace& trace_;
  Auditor auditor_;
  Clients clients_;
  Runner runner_;
  std::set<RequestId> vanished_;
  bool closing_ = false;
  int stalled_ = 0;
};

}  // namespace millrace::simulation
