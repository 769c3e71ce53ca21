// How flushes and merges treat what is there and who waits (docs/adr/0020).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "base/bytes.h"
#include "store/rocksdb/database.h"

namespace millrace::store::rocks {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

class MergingTest : public testing::Test {
 public:
  ~MergingTest() override {
    database_.reset();
    fs::remove_all(folder_);
  }

 protected:
  MergingTest() {
    auto pattern = (fs::temp_directory_path() / "millrace-merging-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    database_.emplace(RocksOptions{.path = folder_});
  }

  static std::string key(std::uint64_t id) {
    std::string out = "queue";
    put_u64_be(out, id);
    return out;
  }

  // Adds entries of a hundred bytes that do not compress, and takes some away.
  void write(std::uint64_t first, std::uint64_t end, std::uint64_t gone_from, std::uint64_t gone_to) {
    rocksdb::WriteBatch batch;
    for (std::uint64_t id = first; id < end; ++id) {
      std::string value(100, '\0');
      std::ranges::generate(value, [this] { return static_cast<char>(random_()); });
      database_->put(batch, Table::item_live, key(id), value);
    }
    for (std::uint64_t id = gone_from; id < gone_to; ++id) database_->erase(batch, Table::item_live, key(id));
    database_->write(batch);
    ASSERT_TRUE(database_->raw().Flush({}, database_->family(Table::item_live)).ok());
    settle();
  }

  // Returns when nothing is left to merge.
  void settle() {
    const auto number = [this](const char* property) {
      std::uint64_t value = 0;
      EXPECT_TRUE(database_->raw().GetIntProperty(database_->family(Table::item_live), property, &value));
      return value;
    };
    while (number("rocksdb.compaction-pending") + number("rocksdb.num-running-compactions") > 0) {
      std::this_thread::sleep_for(5ms);
    }
  }

  std::set<std::string> files(Table table) {
    rocksdb::ColumnFamilyMetaData found;
    database_->raw().GetColumnFamilyMetaData(database_->family(table), &found);
    std::set<std::string> names;
    for (const auto& level : found.levels) {
      for (const auto& file : level.files) names.insert(file.name);
    }
    return names;
  }

  fs::path folder_;
  std::optional<Database> database_;
  std::minstd_rand random_;
};

// S4.14: what a claim costs does not grow with what waits behind it.
TEST_F(MergingTest, ABacklogIsNotWrittenAgainBecauseItsFrontIsTaken) {
  constexpr std::uint64_t kBacklog = 200'000;  // 20 MB
  constexpr std::uint64_t kTaken = 5'000;
  std::uint64_t front = 0;
  std::uint64_t back = 0;
  for (; back < kBacklog; back += kBacklog / 4) write(back, back + kBacklog / 4, 0, 0);
  const auto before = files(Table::item_live);
  for (int round = 0; round < 8; ++round, front += kTaken, back += kTaken) {
    write(back, back + kTaken, front, front + kTaken);
  }
  const auto after = files(Table::item_live);
  std::set<std::string> kept;
  std::ranges::set_intersection(before, after, std::inserter(kept, kept.begin()));
  EXPECT_GT(kept.size(), before.size() / 2) << before.size() << " files before, " << after.size() << " after";
  EXPECT_GT(before.size(), 5u);
}

TEST_F(MergingTest, EveryTableFileIsWrittenByAThreadThatGivesWay) {
  rocksdb::WriteBatch batch;
  for (std::size_t i = 0; i < kTables; ++i) database_->put(batch, static_cast<Table>(i), "key", "value");
  database_->write(batch);
  for (std::size_t i = 0; i < kTables; ++i) {
    const auto table = static_cast<Table>(i);
    ASSERT_TRUE(database_->raw().Flush({}, database_->family(table)).ok());
    rocksdb::TablePropertiesCollection found;
    ASSERT_TRUE(database_->raw().GetPropertiesOfAllTables(database_->family(table), &found).ok());
    for (const auto& [name, properties] : found) {
      EXPECT_THAT(properties->property_collectors_names, HasSubstr("GivingWay")) << table_name(table);
    }
    EXPECT_FALSE(found.empty()) << table_name(table);
  }
}

}  // namespace
}  // namespace millrace::store::rocks
