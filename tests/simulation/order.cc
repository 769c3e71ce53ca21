#include "order.h"

#include <algorithm>
#include <map>

namespace millrace::simulation {
namespace {

// Does an item hold back the later ones of its group?
struct Hold {
  bool surely = false;  // by the weakest reading of the rules
  bool maybe = false;   // by the strictest
};

Hold hold_of(const Item& item) {
  const queue::ItemRecord& record = item.record;
  switch (record.group->mode) {
    case queue::GroupMode::immediate:
      return {};
    case queue::GroupMode::block_on_error: {
      const bool over = record.status == queue::Status::completed || record.status == queue::Status::cancelled;
      return {!over, !over};
    }
    case queue::GroupMode::next_on_error:
      if (queue::is_terminal(record.status)) return {};
      // A reset sets retry_count back; whether the item then holds its group again is left open.
      return {!item.tried, record.retry_count == 0};
  }
  return {};
}

}  // namespace

std::vector<Candidate> candidates(const View& view, const queue::QueueKey& queue) {
  std::vector<Candidate> found;
  const auto items = view.queues.find(queue);
  if (items == view.queues.end()) return found;
  std::map<std::string, Hold, std::less<>> holds;
  for (const auto& [id, item] : items->second) {
    const queue::ItemRecord& r = item.record;
    // One that was reset after it failed may have to wait until the later one that went meanwhile is back.
    if (r.group && r.group->mode == queue::GroupMode::next_on_error && r.status == queue::Status::processing &&
        r.retry_count == 0) {
      holds[r.group->name].maybe = true;
    }
  }
  for (const auto& [id, item] : items->second) {
    Hold* hold = item.record.group ? &holds[item.record.group->name] : nullptr;
    if (item.record.status == queue::Status::pending && !view.is_paused(queue, item.record.lane->bus)) {
      const bool next = !(hold && hold->maybe);
      found.push_back({.item = &item,
                       .allowed = !(hold && hold->surely),
                       .next = next,
                       .expected = next && item.record.placement == queue::Placement::live});
    }
    if (hold) {
      const Hold own = hold_of(item);
      hold->surely |= own.surely;
      hold->maybe |= own.maybe;
    }
  }
  return found;
}

bool has_any_tag(const queue::ItemRecord& record, std::span<const std::string> tags) {
  return std::ranges::any_of(tags, [&](const std::string& tag) {
    return std::ranges::find(record.lane->tags, tag) != record.lane->tags.end();
  });
}

bool goes_before(const queue::ItemRecord& a, const queue::ItemRecord& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  if (a.due != b.due) return a.due < b.due;
  return a.id < b.id;
}

}  // namespace millrace::simulation
