#include "profile.h"

#include <array>

namespace millrace::simulation {
namespace {

FaultRates draw_faults(Random& random) {
  FaultRates faults;
  // A third of the histories run without faults: a bug in them is the easiest to understand.
  if (random.chance(333)) return faults;
  const auto rate = [&](std::uint32_t max) {
    return random.chance(500) ? static_cast<std::uint32_t>(random.below(max + 1)) : 0;
  };
  faults.crash = rate(30);
  faults.failed_commit = rate(60);
  faults.lost_answer = rate(150);
  faults.repeated_message = rate(150);
  faults.late_message = rate(150);
  faults.clock_step = rate(40);
  faults.abandoned = rate(200);
  faults.vanished = rate(100);
  faults.late_tick = rate(300);
  faults.failed_read = rate(200);
  return faults;
}

void draw_names(Random& random, Profile& profile) {
  const auto tenants = random.between(1, 3);
  for (std::int64_t i = 0; i < tenants; ++i) {
    const TenantId tenant = TenantId::trusted("t" + std::to_string(i));
    profile.queues.push_back({tenant, "events"});
    if (random.chance(300)) profile.queues.push_back({tenant, "tasks"});
  }
  profile.buses = {"default"};
  if (random.chance(400)) profile.buses.emplace_back("side");
  for (std::int64_t i = random.between(1, 4); i > 0; --i) profile.tags.push_back("tag" + std::to_string(i));
  constexpr std::array kModes = {queue::GroupMode::immediate, queue::GroupMode::next_on_error,
                                 queue::GroupMode::block_on_error};
  for (std::int64_t i = random.between(1, 4); i > 0; --i) {
    profile.groups.push_back({"g" + std::to_string(i), random.pick(kModes)});
  }
  for (std::int64_t i = random.between(1, 4); i > 0; --i) profile.workers.push_back("w" + std::to_string(i));
}

}  // namespace

Profile draw_profile(Random& random) {
  Profile profile;
  draw_names(random, profile);
  const bool crowded = random.chance(400);
  profile.options.live_items_max = crowded ? static_cast<std::size_t>(random.between(1, 8)) : 100'000;
  profile.items_max = crowded ? 40 : 120;
  profile.options.idempotency_window = random.chance(500) ? random.millis(50, 3000) : Millis(86'400'000);
  profile.options.lease_grace = random.millis(0, 1500);
  profile.options.worker_memory = random.chance(300) ? random.millis(500, 5000) : Millis(86'400'000);
  profile.options.deduplication_window = random.chance(500) ? random.millis(50, 3000) : Millis(86'400'000);
  profile.options.event_id_window = random.chance(500) ? random.millis(50, 3000) : Millis(86'400'000);
  profile.faults = draw_faults(random);
  profile.gap_max = random.millis(1, 80);
  profile.commit_max = random.millis(0, 40);
  profile.read_max = random.millis(0, 40);
  profile.lease_max = random.millis(40, 3000);
  profile.backoff_max = random.millis(0, 1500);
  profile.run_at_max = random.millis(1, 4000);
  profile.scheduled = 200;
  if (random.chance(150)) {
    profile.run_at_max = Millis(120'000);
    profile.scheduled = 500;
  }
  profile.grouped = random.chance(300) ? 0 : static_cast<std::uint32_t>(random.below(700));
  // Long groups in little memory: most of their members are parked.
  if (crowded && random.chance(500)) {
    profile.grouped = 900;
    constexpr std::array<std::uint32_t, 4> kScheduled = {0, 100, 400, 900};
    profile.scheduled = random.pick(kScheduled);
  }
  return profile;
}

}  // namespace millrace::simulation
