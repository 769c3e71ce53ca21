#include "store/rocksdb/memtable.h"

#include <absl/container/flat_hash_map.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <vector>

#include "store/rocksdb/skip_list.h"

namespace millrace::store::rocks {
namespace {

using rocksdb::KeyHandle;
using rocksdb::Slice;

std::string_view view_of(const Slice& key) { return {key.data(), key.size()}; }

// RocksDB ends an iterator that it gave an arena for by its destructor alone. The arena is none that others can
// allocate from; so the memory comes from here, and goes back to the thread that ends the iterator: that one takes it
// again at the earliest when the destructor is through.
class IteratorMemory {
 public:
  static void* take(std::size_t bytes) {
    auto& free = list().free;
    if (free.empty()) return ::operator new(bytes);
    void* memory = free.back();
    free.pop_back();
    return memory;
  }
  static void give_back(void* memory) { list().free.push_back(memory); }

 private:
  struct List {
    std::vector<void*> free;
    ~List() {
      for (void* memory : free) ::operator delete(memory);
    }
  };
  static List& list() {
    thread_local List list;
    return list;
  }
};

class Cursor final : public rocksdb::MemTableRep::Iterator {
 public:
  enum class Memory { own, lent };

  Cursor(const SkipList& list, Memory memory) : list_(&list), memory_(memory) {}
  ~Cursor() override {
    if (memory_ == Memory::lent) IteratorMemory::give_back(this);
  }

  bool Valid() const override { return node_ != nullptr; }
  const char* key() const override { return SkipList::entry_of(node_); }
  // A flush walks all of it, and neighbours lie far apart in memory: without the prefetch it waits for that most of
  // all.
  void Next() override {
    node_ = SkipList::next(node_);
    if (node_ != nullptr) SkipList::fetch_next(node_);
  }
  void Prev() override { node_ = list_->last_before(SkipList::internal_key(key())); }
  void Seek(const Slice& internal_key, const char* entry) override {
    node_ = list_->first_from(wanted(internal_key, entry));
  }
  void SeekForPrev(const Slice& internal_key, const char* entry) override {
    const std::string_view key = wanted(internal_key, entry);
    node_ = list_->first_from(key);
    if (node_ == nullptr || SkipList::internal_key(SkipList::entry_of(node_)) != key) node_ = list_->last_before(key);
  }
  void start_over(const SkipList& list) {
    list_ = &list;
    node_ = nullptr;
  }
  void SeekToFirst() override { node_ = list_->first(); }
  void SeekToLast() override { node_ = list_->last(); }

 private:
  // RocksDB gives the key in one of two ways.
  static std::string_view wanted(const Slice& internal_key, const char* entry) {
    return entry != nullptr ? SkipList::internal_key(entry) : view_of(internal_key);
  }

  const SkipList* list_;
  const SkipList::Node* node_ = nullptr;
  Memory memory_;
};

// The fingers of a list's sequences. Two sequences whose heads have the same hash share one, which costs them time and
// nothing else. The thread that writes alone.
class Fingers {
 public:
  explicit Fingers(SequenceHead sequence) : sequence_(sequence) {}

  // `make` gives a new one.
  template <class Make>
  SkipList::Finger& of(std::string_view user_key, Make make) {
    const std::uint64_t head = XXH3_64bits(user_key.data(), sequence_(user_key));
    if (latest_ != nullptr && head == latest_head_) return *latest_;
    SkipList::Finger*& finger = by_head_[head];
    if (finger == nullptr) finger = make();
    latest_head_ = head;
    latest_ = finger;
    return *finger;
  }

 private:
  // What it gets is a hash.
  struct AsItIs {
    std::size_t operator()(std::uint64_t hash) const { return hash; }
  };

  SequenceHead sequence_;
  std::uint64_t latest_head_ = 0;
  SkipList::Finger* latest_ = nullptr;
  absl::flat_hash_map<std::uint64_t, SkipList::Finger*, AsItIs> by_head_;
};

class Memtable final : public rocksdb::MemTableRep {
 public:
  Memtable(rocksdb::Allocator* allocator, SequenceHead sequence)
      : MemTableRep(allocator), list_([this](std::size_t bytes) { return allocate(bytes); }) {
    if (sequence != nullptr) fingers_.emplace(sequence);
  }

  KeyHandle Allocate(std::size_t bytes, char** entry) override {
    SkipList::Node* node = list_.make(bytes);
    *entry = SkipList::entry_of(node);
    return node;
  }
  void Insert(KeyHandle handle) override { InsertKey(handle); }
  bool InsertKey(KeyHandle handle) override {
    auto* node = static_cast<SkipList::Node*>(handle);
    return list_.insert(node, finger_for(SkipList::user_key(SkipList::entry_of(node))));
  }

  bool Contains(const char* entry) const override {
    const std::string_view key = SkipList::internal_key(entry);
    const SkipList::Node* found = list_.first_from(key);
    return found != nullptr && SkipList::internal_key(SkipList::entry_of(found)) == key;
  }
  // All of it is in the allocator that RocksDB counts itself.
  std::size_t ApproximateMemoryUsage() override { return 0; }

  Iterator* GetIterator(rocksdb::Arena* arena) override {
    if (arena == nullptr) return new Cursor(list_, Cursor::Memory::own);
    return new (IteratorMemory::take(sizeof(Cursor))) Cursor(list_, Cursor::Memory::lent);
  }

  // RocksDB's Get(), which is all that asks for one without an arena, never ends it. So a thread has one, for the
  // point read that it is in.
  Iterator* GetDynamicPrefixIterator(rocksdb::Arena* arena) override {
    if (arena != nullptr) return GetIterator(arena);
    thread_local Cursor cursor(list_, Cursor::Memory::own);
    cursor.start_over(list_);
    return &cursor;
  }

 private:
  char* allocate(std::size_t bytes) {
    char* memory = nullptr;
    MemTableRep::Allocate(bytes, &memory);
    return memory;
  }
  SkipList::Finger& finger_for(std::string_view user_key) {
    if (!fingers_) return list_.own_finger();
    return fingers_->of(user_key, [this] { return new_finger(); });
  }
  SkipList::Finger* new_finger() {
    char* memory = allocate(sizeof(SkipList::Finger) + alignof(SkipList::Finger));
    memory += -reinterpret_cast<std::uintptr_t>(memory) % alignof(SkipList::Finger);
    return new (memory) SkipList::Finger;
  }

  SkipList list_;
  std::optional<Fingers> fingers_;
};

class Factory final : public rocksdb::MemTableRepFactory {
 public:
  explicit Factory(SequenceHead sequence) : sequence_(sequence) {}

  using MemTableRepFactory::CreateMemTableRep;
  rocksdb::MemTableRep* CreateMemTableRep(const rocksdb::MemTableRep::KeyComparator& /*order*/,
                                          rocksdb::Allocator* allocator, const rocksdb::SliceTransform* /*prefix*/,
                                          rocksdb::Logger* /*logger*/) override {
    return new Memtable(allocator, sequence_);
  }
  const char* Name() const override { return "millrace.Memtable"; }
  bool CanHandleDuplicatedKey() const override { return true; }

 private:
  SequenceHead sequence_;
};

}  // namespace

std::shared_ptr<rocksdb::MemTableRepFactory> make_memtable_factory(SequenceHead sequence) {
  return std::make_shared<Factory>(sequence);
}

}  // namespace millrace::store::rocks
