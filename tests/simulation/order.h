// Which items a claim may take, by the rules of S4.2 and S3.15, found by looking at every item: slow,
// plain, and written without regard to how the shard does it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "view.h"

namespace millrace::simulation {

struct Candidate {
  const Item* item;
  // Its group lets it go, by the weakest reading of the rules. A lease without it is a violation.
  bool allowed;
  // Its group lets it go by the strictest reading.
  bool next;
  // So, and it is in memory. Passing it over is a violation.
  bool expected;
};

// The waiting items of a queue that are not paused, in the order of their ids; due or not.
std::vector<Candidate> candidates(const View& view, const queue::QueueKey& queue);

bool has_any_tag(const queue::ItemRecord& record, std::span<const std::string> tags);

// Higher priority first, then earlier due, then lower id.
bool goes_before(const queue::ItemRecord& a, const queue::ItemRecord& b);

}  // namespace millrace::simulation
