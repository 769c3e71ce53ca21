#include "store/rocksdb/listing.h"

#include <algorithm>
#include <limits>

#include "base/ids.h"

namespace millrace::store::rocks {
namespace {

using queue::Status;

// Steps tried before a seek: a neighbour is a hundred nanoseconds away, a seek some microseconds.
constexpr int kStepsBeforeSeek = 8;

// The ids under one prefix, from the highest down. With `wanted`, only those whose value has the status.
class Cursor {
 public:
  Cursor(View& view, Table table, std::string prefix, std::optional<Status> wanted)
      : table_(table),
        prefix_(std::move(prefix)),
        end_(after_prefix(prefix_)),
        lower_(slice(prefix_)),
        upper_(slice(end_)),
        wanted_(wanted),
        at_(view.iterate(table, &lower_, &upper_)) {}
  Cursor(const Cursor&) = delete;

  // The iterator is placed by the first call. REQUIRES: ids never grow from call to call.
  void skip_to(ItemId at_most) {
    for (int step = 0; placed_ && at_->Valid() && id() > at_most; ++step) {
      if (step < kStepsBeforeSeek) {
        at_->Prev();
      } else {
        seek(at_most);
      }
    }
    if (!placed_) seek(at_most);
    placed_ = true;
    skip_unwanted();
    check(*at_, table_);
  }

  std::optional<ItemId> current() const {
    if (!at_->Valid()) return std::nullopt;
    return id();
  }

 private:
  ItemId id() const {
    const auto key = rocks::view(at_->key());
    return decoded(table_, key, [&] { return last_id(key); });
  }
  void seek(ItemId at_most) { at_->SeekForPrev(with_id(prefix_, at_most)); }
  void skip_unwanted() {
    while (wanted_ && at_->Valid() && status() != *wanted_) at_->Prev();
  }
  Status status() const {
    return decoded(table_, rocks::view(at_->key()), [&] { return peek_status(rocks::view(at_->value())); });
  }

  Table table_;
  std::string prefix_;
  std::string end_;
  rocksdb::Slice lower_;
  rocksdb::Slice upper_;
  std::optional<Status> wanted_;
  std::unique_ptr<rocksdb::Iterator> at_;
  bool placed_ = false;
};

// All ids of several cursors, each once.
class Union {
 public:
  Union(View& view, ShardId shard, const queue::QueueKey& queue) : view_(view), shard_(shard), queue_(queue) {}

  void add(Table table, std::optional<Status> wanted = std::nullopt) {
    cursors_.push_back(std::make_unique<Cursor>(view_, table, queue_prefix(shard_, queue_), wanted));
  }
  void add_status(Status status) {
    cursors_.push_back(
        std::make_unique<Cursor>(view_, Table::item_by_status, status_prefix(shard_, queue_, status), std::nullopt));
  }
  void add_tag(std::string_view tag) {
    cursors_.push_back(
        std::make_unique<Cursor>(view_, Table::item_tags, tag_prefix(shard_, queue_, tag), std::nullopt));
  }

  void skip_to(ItemId at_most) {
    for (auto& cursor : cursors_) cursor->skip_to(at_most);
  }
  std::optional<ItemId> current() const {
    std::optional<ItemId> highest;
    for (const auto& cursor : cursors_) highest = std::max(highest, cursor->current());
    return highest;
  }

 private:
  View& view_;
  ShardId shard_;
  const queue::QueueKey& queue_;
  std::vector<std::unique_ptr<Cursor>> cursors_;
};

Union by_status(View& view, ShardId shard, const ItemQuery& query) {
  Union ids(view, shard, query.queue);
  if (!query.status) {
    for (const auto table : {Table::item_live, Table::item_done, Table::parked_ref}) ids.add(table);
  } else if (is_indexed(*query.status)) {
    ids.add_status(*query.status);
  } else if (*query.status == Status::completed) {
    ids.add(Table::item_done, query.status);
  } else {
    ids.add(Table::item_live, query.status);
    ids.add(Table::parked_ref, query.status);
  }
  return ids;
}

Union by_tag(View& view, ShardId shard, const ItemQuery& query) {
  Union ids(view, shard, query.queue);
  for (const auto& tag : query.any_tags) ids.add_tag(tag);
  return ids;
}

// The visitor's answer decides whether there is a next place to look from.
std::optional<ItemId> below(ItemId id) {
  if (id.value == 0) return std::nullopt;
  return ItemId{id.value - 1};
}

void visit_all(Union ids, ItemId from, const std::function<bool(ItemId)>& visit) {
  for (std::optional<ItemId> next = from; next;) {
    ids.skip_to(*next);
    const auto found = ids.current();
    if (!found || !visit(*found)) return;
    next = below(*found);
  }
}

// Each side in turn skips to where the other is: the cost is that of the sparser one.
void visit_both(Union left, Union right, ItemId from, const std::function<bool(ItemId)>& visit) {
  for (std::optional<ItemId> next = from; next;) {
    left.skip_to(*next);
    const auto candidate = left.current();
    if (!candidate) return;
    right.skip_to(*candidate);
    const auto other = right.current();
    if (!other) return;
    if (*other == *candidate && !visit(*candidate)) return;
    next = *other == *candidate ? below(*candidate) : other;
  }
}

}  // namespace

void visit_matches(View& view, ShardId shard, const ItemQuery& query, const std::function<bool(ItemId)>& visit) {
  const auto from = query.before ? below(*query.before) : ItemId{std::numeric_limits<std::uint64_t>::max()};
  if (!from) return;
  if (query.any_tags.empty()) {
    visit_all(by_status(view, shard, query), *from, visit);
  } else if (!query.status) {
    visit_all(by_tag(view, shard, query), *from, visit);
  } else {
    visit_both(by_tag(view, shard, query), by_status(view, shard, query), *from, visit);
  }
}

}  // namespace millrace::store::rocks
