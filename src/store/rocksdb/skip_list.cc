#include "store/rocksdb/skip_list.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

namespace millrace::store::rocks {
namespace {

constexpr std::size_t kTrailerBytes = 8;  // sequence number and kind

std::uint64_t trailer(std::string_view key) {
  static_assert(std::endian::native == std::endian::little, "RocksDB stores it little endian");
  std::uint64_t number;
  std::memcpy(&number, key.data() + key.size() - kTrailerBytes, kTrailerBytes);
  return number;
}

// Negative: a is first.
int compare(std::string_view a, std::string_view b) {
  const std::size_t a_user = a.size() - kTrailerBytes;
  const std::size_t b_user = b.size() - kTrailerBytes;
  if (const int bytes = std::memcmp(a.data(), b.data(), std::min(a_user, b_user)); bytes != 0) return bytes;
  if (a_user != b_user) return a_user < b_user ? -1 : 1;
  const std::uint64_t a_number = trailer(a);
  const std::uint64_t b_number = trailer(b);
  return a_number > b_number ? -1 : a_number < b_number ? 1 : 0;
}

}  // namespace

// In memory: the links of the upper levels, highest first; link 0; the height; the entry.
struct SkipList::Node {
  using Link = std::atomic<Node*>;

  Link link_0;
  std::uint8_t height;

  Link& link(int level) { return (&link_0)[-level]; }
  const Link& link(int level) const { return (&link_0)[-level]; }
  Node* next(int level) const { return link(level).load(std::memory_order_acquire); }
  std::string_view key() const { return internal_key(entry_of(this)); }
};

namespace {
constexpr std::size_t kEntryOffset = sizeof(SkipList::Node*) + 1;
}  // namespace

char* SkipList::entry_of(Node* node) { return reinterpret_cast<char*>(node) + kEntryOffset; }
const char* SkipList::entry_of(const Node* node) { return reinterpret_cast<const char*>(node) + kEntryOffset; }

std::string_view SkipList::internal_key(const char* entry) {
  std::size_t size = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(*entry++);
    size |= static_cast<std::size_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return {entry, size};
  }
}

std::string_view SkipList::user_key(const char* entry) {
  const std::string_view key = internal_key(entry);
  return key.substr(0, key.size() - kTrailerBytes);
}

SkipList::SkipList(std::function<char*(std::size_t bytes)> allocate) : allocate_(std::move(allocate)) {
  head_ = lay_out(kHeightMax, 0);
}

// One node in four is a level higher.
int SkipList::random_height() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  return std::min(kHeightMax, 1 + std::countr_zero(random_ | 1U << 31) / 2);
}

SkipList::Node* SkipList::make(std::size_t entry_bytes) { return lay_out(random_height(), entry_bytes); }

SkipList::Node* SkipList::lay_out(int height, std::size_t entry_bytes) {
  const std::size_t upper = static_cast<std::size_t>(height - 1) * sizeof(Node::Link);
  char* memory = allocate_(alignof(Node) + upper + std::max(kEntryOffset + entry_bytes, sizeof(Node)));
  memory += -reinterpret_cast<std::uintptr_t>(memory) % alignof(Node);
  auto* node = reinterpret_cast<Node*>(memory + upper);
  for (int level = 0; level < height; ++level) new (&node->link(level)) Node::Link(nullptr);
  node->height = static_cast<std::uint8_t>(height);
  return node;
}

SkipList::Node* SkipList::walk(Node*& from, int level, std::string_view key) const {
  Node* next = from->next(level);
  while (next != nullptr && compare(next->key(), key) < 0) {
    from = next;
    next = from->next(level);
  }
  return next;
}

bool SkipList::brackets(Node* node, int level, std::string_view key) const {
  if (node != head_ && compare(node->key(), key) >= 0) return false;
  const Node* next = node->next(level);
  return next == nullptr || compare(next->key(), key) >= 0;
}

// A finger's node on a level is never after the one below: so if the one on some level is before the key, those above
// are too. They may be too far before it, since other sequences have inserted meanwhile.
bool SkipList::insert(Node* node, Finger& finger) {
  const std::string_view key = node->key();
  auto& before = finger.before;
  if (before[0] == nullptr) before.fill(head_);
  const int height = node->height;
  const int levels = std::max(height_.load(std::memory_order_relaxed), height);
  int level = 0;
  while (level < levels && !brackets(before[static_cast<std::size_t>(level)], level, key)) ++level;
  Node* at = level < levels ? before[static_cast<std::size_t>(level)] : head_;
  for (int lower = level - 1; lower >= 0; --lower) {
    walk(at, lower, key);
    before[static_cast<std::size_t>(lower)] = at;
  }
  if (const Node* next = before[0]->next(0); next != nullptr && compare(next->key(), key) == 0) return false;
  for (int upper = level + 1; upper < height; ++upper) {
    walk(before[static_cast<std::size_t>(upper)], upper, key);
  }
  height_.store(levels, std::memory_order_relaxed);
  for (int each = 0; each < height; ++each) {
    auto& place = before[static_cast<std::size_t>(each)];
    node->link(each).store(place->next(each), std::memory_order_relaxed);
    place->link(each).store(node, std::memory_order_release);  // from here on readers see it, whole
    place = node;
  }
  return true;
}

SkipList::Gap SkipList::find(std::string_view internal_key) const {
  Gap gap{head_, nullptr};
  for (int level = height_.load(std::memory_order_relaxed) - 1; level >= 0; --level) {
    gap.after = walk(gap.before, level, internal_key);
  }
  return gap;
}

const SkipList::Node* SkipList::first_from(std::string_view internal_key) const { return find(internal_key).after; }

const SkipList::Node* SkipList::last_before(std::string_view internal_key) const {
  const Node* found = find(internal_key).before;
  return found == head_ ? nullptr : found;
}

const SkipList::Node* SkipList::first() const { return head_->next(0); }

const SkipList::Node* SkipList::last() const {
  const Node* at = head_;
  for (int level = height_.load(std::memory_order_relaxed) - 1; level >= 0; --level) {
    for (const Node* next = at->next(level); next != nullptr; next = at->next(level)) at = next;
  }
  return at == head_ ? nullptr : at;
}

const SkipList::Node* SkipList::next(const Node* node) { return node->next(0); }

void SkipList::fetch_next(const Node* node) {
  constexpr std::size_t kLineBytes = 64;
  const auto* memory = reinterpret_cast<const char*>(node->next(0));
  if (memory == nullptr) return;
  __builtin_prefetch(memory);
  __builtin_prefetch(memory + kLineBytes);  // most keys are longer than what is left of the first line
}

}  // namespace millrace::store::rocks
