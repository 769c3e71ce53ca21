// The fields that rules use, as a tree of keys, so that flattening an event leaves everything else aside. Filled
// while an index is built, read by any thread afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::match {

using FieldId = std::uint32_t;

class PathTrie {
 public:
  using NodeId = std::uint32_t;
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr NodeId kRoot = 0;

  PathTrie();

  // The number of the field at `path`, keys joined with dots; fields are numbered from 0 as they come.
  FieldId add(std::string_view path);
  std::size_t fields() const { return fields_; }

  // Where a key of an event leads from a node, or kNone. A key with dots is several keys.
  NodeId descend(NodeId from, std::string_view key) const;
  // The field that ends at a node, or kNone.
  FieldId field(NodeId node) const { return nodes_[node].field; }
  bool has_children(NodeId node) const { return nodes_[node].filter != 0; }

 private:
  struct Node {
    std::uint64_t filter = 0;  // of the keys below: a clear bit says that none of them looks like this
    FieldId field = kNone;
  };
  struct Slot {
    NodeId parent = kNone;  // kNone: free
    NodeId child = kNone;
    std::uint32_t key_begin = 0;
    std::uint32_t key_length = 0;
  };

  NodeId child(NodeId parent, std::string_view key) const;
  NodeId add_child(NodeId parent, std::string_view key);
  void insert(const Slot& slot);
  void grow();
  std::string_view key_of(const Slot& slot) const {
    return std::string_view(keys_).substr(slot.key_begin, slot.key_length);
  }

  std::vector<Node> nodes_;
  std::vector<Slot> slots_;  // open addressing, a power of two, at most half full
  std::string keys_;
  std::size_t fields_ = 0;
};

}  // namespace millrace::match
