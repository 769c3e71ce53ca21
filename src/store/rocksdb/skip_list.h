// The ordered set of entries that a memtable is: one thread inserts, any number reads meanwhile without a lock, and
// nothing is removed before the whole list goes. An entry is RocksDB's: the length of its internal key as a varint,
// that key (the user's key, then eight bytes of sequence number and kind), then what the list does not look at.
//
// Order: user keys by their bytes, then the newest first.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace millrace::store::rocks {

class SkipList {
 public:
  static constexpr int kHeightMax = 12;

  struct Node;
  // Where the last entry of a sequence went: the next one is looked for from there. A finger only saves time; any
  // finger of the list is right for any entry.
  struct Finger {
    std::array<Node*, kHeightMax> before{};  // null: the start of the list
  };

  // `allocate` gives memory, of any alignment, that lives as long as the list.
  explicit SkipList(std::function<char*(std::size_t bytes)> allocate);
  SkipList(const SkipList&) = delete;

  // Room for an entry; the caller writes it into entry_of(), then inserts the node.
  Node* make(std::size_t entry_bytes);
  static char* entry_of(Node* node);
  static const char* entry_of(const Node* node);
  // False, and nothing changes, if the very key is there already.
  bool insert(Node* node, Finger& finger);
  Finger& own_finger() { return finger_; }

  // The first entry whose key is not before `internal_key`; null if there is none.
  const Node* first_from(std::string_view internal_key) const;
  const Node* last_before(std::string_view internal_key) const;
  const Node* first() const;
  const Node* last() const;
  static const Node* next(const Node* node);
  // Asks for the memory of the entry after this one, for a walk that goes there next.
  static void fetch_next(const Node* node);

  static std::string_view internal_key(const char* entry);
  static std::string_view user_key(const char* entry);

 private:
  Node* lay_out(int height, std::size_t entry_bytes);
  int random_height();
  // The last node before the key (the head if there is none) and the first that is not, which is the one that was
  // compared: a link read again may lead to a node that was inserted meanwhile and is before the key, a version
  // of it that the reader must not see.
  struct Gap {
    Node* before;
    Node* after;
  };
  Gap find(std::string_view internal_key) const;
  // Moves `from` to the last node on this level that is before the key; gives the node after it.
  Node* walk(Node*& from, int level, std::string_view key) const;
  bool brackets(Node* node, int level, std::string_view key) const;

  std::function<char*(std::size_t bytes)> allocate_;
  Node* head_;
  std::atomic<int> height_ = 1;  // of the highest node; a reader may see it late and then starts lower
  Finger finger_;
  std::uint32_t random_ = 0x9e3779b9;
};

}  // namespace millrace::store::rocks
