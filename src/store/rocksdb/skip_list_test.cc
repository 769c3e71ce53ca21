#include "store/rocksdb/skip_list.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.h"

namespace millrace::store::rocks {
namespace {

class Memory {
 public:
  char* allocate(std::size_t bytes) {
    pieces_.push_back(std::make_unique<char[]>(bytes + 1));
    return pieces_.back().get() + 1;  // of any alignment, as promised
  }

 private:
  std::vector<std::unique_ptr<char[]>> pieces_;
};

std::string internal(std::string_view user, std::uint64_t number) {
  std::string key(user);
  char bytes[8];
  std::memcpy(bytes, &number, sizeof bytes);
  return key.append(bytes, sizeof bytes);
}

std::string_view user_of(std::string_view key) { return key.substr(0, key.size() - 8); }

std::uint64_t number_of(std::string_view key) {
  std::uint64_t number;
  std::memcpy(&number, key.data() + key.size() - 8, sizeof number);
  return number;
}

// What the list should be: user keys up, numbers down.
struct InOrder {
  bool operator()(const std::string& a, const std::string& b) const {
    if (user_of(a) != user_of(b)) return user_of(a) < user_of(b);
    return number_of(a) > number_of(b);
  }
};
using Model = std::map<std::string, int, InOrder>;

bool insert_into(SkipList& list, const std::string& key, SkipList::Finger& finger) {
  std::string entry;
  put_string(entry, key);  // the same varint and bytes that RocksDB writes
  SkipList::Node* node = list.make(entry.size());
  std::memcpy(SkipList::entry_of(node), entry.data(), entry.size());
  return list.insert(node, finger);
}

class SkipListTest : public testing::Test {
 protected:
  bool insert(const std::string& key, SkipList::Finger& finger) { return insert_into(list_, key, finger); }
  static std::string key_of(const SkipList::Node* node) {
    return node == nullptr ? "" : std::string(SkipList::internal_key(SkipList::entry_of(node)));
  }
  void expect_equal(const Model& model) {
    auto at = list_.first();
    for (const auto& [key, unused] : model) {
      ASSERT_EQ(key_of(at), key);
      at = SkipList::next(at);
    }
    EXPECT_EQ(at, nullptr);
    EXPECT_EQ(key_of(list_.last()), model.empty() ? "" : model.rbegin()->first);
  }
  void expect_found(const Model& model, const std::string& key) {
    const auto from = model.lower_bound(key);
    ASSERT_EQ(key_of(list_.first_from(key)), from == model.end() ? "" : from->first);
    ASSERT_EQ(key_of(list_.last_before(key)), from == model.begin() ? "" : std::prev(from)->first);
  }

  Memory memory_;
  SkipList list_{[this](std::size_t bytes) { return memory_.allocate(bytes); }};
};

TEST_F(SkipListTest, an_empty_list_has_neither_first_nor_last) {
  EXPECT_EQ(list_.first(), nullptr);
  EXPECT_EQ(list_.last(), nullptr);
  EXPECT_EQ(list_.first_from(internal("a", 1)), nullptr);
  EXPECT_EQ(list_.last_before(internal("a", 1)), nullptr);
}

TEST_F(SkipListTest, of_one_key_the_newest_comes_first_and_a_prefix_before_what_it_begins) {
  auto& finger = list_.own_finger();
  for (const auto& key : {internal("b", 5), internal("b", 9), internal("ba", 1), internal("", 3), internal("b", 7)}) {
    EXPECT_TRUE(insert(key, finger));
  }
  expect_equal({{internal("", 3), 0},
                {internal("b", 9), 0},
                {internal("b", 7), 0},
                {internal("b", 5), 0},
                {internal("ba", 1), 0}});
}

TEST_F(SkipListTest, the_very_key_twice_is_refused_and_changes_nothing) {
  EXPECT_TRUE(insert(internal("a", 1), list_.own_finger()));
  SkipList::Finger fresh;
  EXPECT_FALSE(insert(internal("a", 1), fresh));
  EXPECT_FALSE(insert(internal("a", 1), list_.own_finger()));
  expect_equal({{internal("a", 1), 0}});
}

// Many sequences that go up, some that jump about, each with a finger of its own or of another.
TEST_F(SkipListTest, equals_an_ordered_map_whatever_the_fingers) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Memory memory;
    SkipList list([&](std::size_t bytes) { return memory.allocate(bytes); });
    Model model;
    std::array<SkipList::Finger, 5> fingers;
    std::array<std::uint32_t, 5> last{};
    for (std::uint64_t number = 1; number <= 2000; ++number) {
      const std::size_t sequence = random() % fingers.size();
      last[sequence] = random() % 10 == 0 ? static_cast<std::uint32_t>(random() % 3000) : last[sequence] + 1;
      std::string user(1, static_cast<char>('a' + sequence));
      user += std::to_string(100000 + last[sequence]);
      if (random() % 50 == 0) user += std::string(random() % 300, 'x');
      const std::string key = internal(user, number);
      const std::size_t finger = random() % 20 == 0 ? random() % fingers.size() : sequence;
      ASSERT_TRUE(insert_into(list, key, fingers[finger]));
      model.emplace(key, 0);
    }
    auto at = list.first();
    for (const auto& [key, unused] : model) {
      ASSERT_EQ(key_of(at), key);
      const auto before = list.last_before(key);
      ASSERT_EQ(key_of(before), key == model.begin()->first ? "" : std::prev(model.find(key))->first);
      ASSERT_EQ(list.first_from(key), at);
      at = SkipList::next(at);
    }
    ASSERT_EQ(at, nullptr);
  }
}

TEST_F(SkipListTest, what_is_not_there_is_found_between_its_neighbours) {
  Model model;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const std::string key = internal("k" + std::to_string(i * 7919 % 1000), i);
    insert(key, list_.own_finger());
    model.emplace(key, 0);
  }
  for (int i = 0; i < 1000; ++i) expect_found(model, internal("k" + std::to_string(i), 250));
}

// Run under the thread sanitizer by ./dev check.
TEST_F(SkipListTest, readers_see_whole_entries_in_order_while_one_thread_inserts) {
  constexpr std::uint64_t kEntries = 20000;
  std::atomic<std::uint64_t> inserted = 0;
  const auto key = [](std::uint64_t i) { return internal(std::to_string(1000000 + i * 7919 % kEntries), i); };
  const auto read = [&] {
    while (inserted.load() < kEntries) {
      const std::uint64_t there = inserted.load();
      std::uint64_t seen = 0;
      std::string last;
      for (auto at = list_.first(); at != nullptr; at = SkipList::next(at)) {
        const std::string now = key_of(at);
        ASSERT_TRUE(last.empty() || InOrder()(last, now));
        last = now;
        ++seen;
      }
      ASSERT_GE(seen, there);
      if (there > 0) ASSERT_EQ(key_of(list_.first_from(key(there - 1))), key(there - 1));
    }
  };
  std::vector<std::thread> readers;
  readers.reserve(2);
  for (int i = 0; i < 2; ++i) readers.emplace_back(read);
  for (std::uint64_t i = 0; i < kEntries; ++i) {
    ASSERT_TRUE(insert(key(i), list_.own_finger()));
    inserted.store(i + 1);
  }
  for (auto& reader : readers) reader.join();
}

// A snapshot of RocksDB rests on this: the next version of a key is inserted right before the one that is looked for.
TEST_F(SkipListTest, a_version_is_found_while_the_next_one_is_inserted_before_it) {
  constexpr std::uint64_t kVersions = 300'000;
  ASSERT_TRUE(insert(internal("key", 1), list_.own_finger()));
  std::atomic<std::uint64_t> latest = 1;
  std::atomic<std::uint64_t> wrong = 0;
  std::thread reader([&] {
    while (latest < kVersions) {
      const std::string wanted = internal("key", latest);
      if (key_of(list_.first_from(wanted)) != wanted) ++wrong;
    }
  });
  for (std::uint64_t i = 2; i <= kVersions; ++i) {
    insert(internal("key", i), list_.own_finger());
    latest = i;
  }
  reader.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace millrace::store::rocks
