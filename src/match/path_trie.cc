#include "match/path_trie.h"

#include <cstring>

#include "base/mix.h"

namespace millrace::match {
namespace {

template <class T>
std::uint64_t load(const char* from) {
  T word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// Keys are short: two loads that may overlap see all of a key up to sixteen bytes.
std::uint64_t hash_key(std::uint32_t parent, std::string_view key) {
  const std::size_t n = key.size();
  const char* p = key.data();
  std::uint64_t hash = (std::uint64_t{parent} << 32) ^ n;
  if (n >= 8) {
    for (std::size_t i = 0; i + 8 < n; i += 8) hash = mix64(hash ^ load<std::uint64_t>(p + i));
    return mix64(hash ^ load<std::uint64_t>(p + n - 8));
  }
  if (n >= 4) return mix64(hash ^ (load<std::uint32_t>(p) << 32 | load<std::uint32_t>(p + n - 4)) * 0x9e3779b97f4a7c15);
  std::uint64_t bytes = 0;
  for (const char c : key) bytes = bytes << 8 | static_cast<unsigned char>(c);
  return mix64(hash ^ bytes << 8);
}

std::uint64_t filter_bit(std::string_view key) {
  if (key.empty()) return 1;
  const auto first = static_cast<unsigned char>(key.front());
  const auto last = static_cast<unsigned char>(key.back());
  return std::uint64_t{1} << ((key.size() * 7 + first * 3u + last) & 63);
}

}  // namespace

PathTrie::PathTrie() : nodes_(1), slots_(16) {}

FieldId PathTrie::add(std::string_view path) {
  NodeId node = kRoot;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    node = add_child(node, path.substr(begin, end - begin));
    begin = end + 1;
  }
  FieldId& field = nodes_[node].field;
  if (field == kNone) field = static_cast<FieldId>(fields_++);
  return field;
}

PathTrie::NodeId PathTrie::descend(NodeId from, std::string_view key) const {
  if ((nodes_[from].filter & filter_bit(key)) != 0) {
    const NodeId found = child(from, key);
    if (found != kNone) return found;
  }
  // Keys of the trie have no dots, so only a key that was not found can be several.
  if (std::memchr(key.data(), '.', key.size()) == nullptr) return kNone;
  for (std::size_t begin = 0; begin <= key.size() && from != kNone;) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    from = child(from, key.substr(begin, end - begin));
    begin = end + 1;
  }
  return from;
}

PathTrie::NodeId PathTrie::child(NodeId parent, std::string_view key) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash_key(parent, key) & mask; slots_[i].child != kNone; i = (i + 1) & mask) {
    if (slots_[i].parent == parent && key_of(slots_[i]) == key) return slots_[i].child;
  }
  return kNone;
}

PathTrie::NodeId PathTrie::add_child(NodeId parent, std::string_view key) {
  const NodeId found = child(parent, key);
  if (found != kNone) return found;
  if (nodes_.size() * 2 > slots_.size()) grow();
  const auto made = static_cast<NodeId>(nodes_.size());
  nodes_.emplace_back();
  nodes_[parent].filter |= filter_bit(key);
  const Slot slot{parent, made, static_cast<std::uint32_t>(keys_.size()), static_cast<std::uint32_t>(key.size())};
  keys_.append(key);
  insert(slot);
  return made;
}

void PathTrie::insert(const Slot& slot) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash_key(slot.parent, key_of(slot)) & mask;
  while (slots_[i].child != kNone) i = (i + 1) & mask;
  slots_[i] = slot;
}

void PathTrie::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.child != kNone) insert(slot);
  }
}

}  // namespace millrace::match
