// What kind of history a seed gives: how many tenants, how much memory, which faults and how often.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "queue/item.h"
#include "random.h"
#include "shard/shard.h"

namespace millrace::simulation {

// In a thousand.
struct FaultRates {
  std::uint32_t crash = 0;          // of the process, at any step
  std::uint32_t failed_commit = 0;  // not done, or of unknown fate
  std::uint32_t lost_answer = 0;
  std::uint32_t repeated_message = 0;
  std::uint32_t late_message = 0;
  std::uint32_t clock_step = 0;
  std::uint32_t abandoned = 0;  // commands whose facts never come
  std::uint32_t vanished = 0;   // clients that leave while they wait
  std::uint32_t late_tick = 0;
  std::uint32_t failed_read = 0;  // of parked items
};

struct Profile {
  std::vector<queue::QueueKey> queues;
  std::vector<std::string> buses;
  std::vector<std::string> tags;
  std::vector<queue::GroupKey> groups;
  std::vector<std::string> workers;
  shard::ShardOptions options;
  FaultRates faults;
  Millis gap_max{};     // between two steps
  Millis commit_max{};  // how long a commit takes
  Millis read_max{};    // how long facts take to be read, and to arrive
  Millis lease_max{};
  Millis backoff_max{};
  Millis run_at_max{};          // how far in the future
  std::uint32_t grouped = 0;    // items in a group, in a thousand
  std::uint32_t scheduled = 0;  // items with a run_at in the future, in a thousand
  std::uint32_t items_max = 0;
};

Profile draw_profile(Random& random);

}  // namespace millrace::simulation
