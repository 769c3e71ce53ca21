// The outside world: senders, workers and operators in one. Draws the next command from chance and from
// what earlier answers told; honest for the most part, sometimes late, repeated, wrong or someone else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile.h"
#include "random.h"
#include "shard/command.h"

namespace millrace::simulation {

// A command that shares nothing the shard may change with the one it was copied from.
shard::Command clone(const shard::Command& command);

class Clients {
 public:
  Clients(Random& random, const Profile& profile) : random_(random), profile_(profile) {}

  // `now`: what the clients' clocks say.
  shard::Command draw(Time now);
  // An answer reached the client that sent `command`.
  void learn(const shard::Command& command, const shard::Reply& reply);

  std::uint32_t created() const { return created_; }
  // Takes everything that is ready and not paused.
  shard::Claim greedy_claim(const queue::QueueKey& queue) const;

 private:
  struct KnownItem {
    queue::QueueKey queue;
    ItemId id;
  };
  struct KnownLease {
    queue::QueueKey queue;
    shard::Holder holder;  // with attempt and token
  };

  shard::Command draw_create(Time now);
  shard::NewItem draw_item(Time now);
  void draw_key(shard::NewItem& item);
  shard::Claim draw_claim();
  shard::Command draw_settle();
  shard::Outcome draw_outcome(const KnownLease& lease);
  shard::Command draw_touch();
  shard::Command draw_about_item();
  shard::Command draw_append(Time now);
  shard::NewEvent draw_event(Time now);
  shard::Command draw_document();
  shard::PutDocument draw_put(const TenantId& tenant);
  shard::Command draw_question();
  std::vector<std::string> draw_tags(std::size_t at_least);
  shard::Holder draw_holder(const KnownLease& lease);
  const KnownLease* draw_lease();
  std::optional<KnownItem> draw_known();
  void learn_leases(const std::vector<queue::ItemRecord>& items);
  void learn_failures(const queue::QueueKey& queue, const shard::Settled& settled);

  Random& random_;
  const Profile& profile_;
  std::vector<KnownItem> items_;
  std::vector<KnownItem> failed_;  // for good, as their workers were told
  std::vector<KnownLease> leases_;
  std::vector<shard::Settle> settles_;  // sent before, to be repeated
  std::uint32_t created_ = 0;
  std::uint32_t made_ids_ = 0;
};

}  // namespace millrace::simulation
