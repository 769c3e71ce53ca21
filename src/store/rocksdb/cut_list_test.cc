// The list of the table files ends earlier than it did, and reads as whole: RocksDB would remove the files that it does
// not have any more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "store/rocksdb/database.h"
#include "store/rocksdb/rocksdb_store.h"
#include "store/rocksdb/testing.h"
#include "store/store_error.h"

namespace millrace::store::rocks {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class CutListTest : public testing::Test {
 public:
  ~CutListTest() override { fs::remove_all(root_); }

 protected:
  CutListTest() {
    auto pattern = (fs::temp_directory_path() / "millrace-cut-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    folder_ = root_ / "data";
  }

  fs::path list() const {
    std::string name = content(folder_ / "CURRENT");
    name.pop_back();
    return folder_ / name;
  }

  std::string refusal(bool salvage = false) {
    try {
      const Database opened({.path = folder_, .salvage_damaged_log = salvage});
    } catch (const StoreError& error) {
      return error.what();
    }
    return "opened";
  }

  std::set<std::string> tables() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() == ".sst") names.insert(entry.path().filename());
    }
    return names;
  }

  void write_megabytes(Database& database, int count) {
    for (int i = 0; i < count; ++i) {
      rocksdb::WriteBatch batch;
      database.put(batch, Table::item_body, std::to_string(written_++), std::string(std::size_t{1} << 20, 'x'));
      database.write(batch);
    }
  }

  // Until the journal has written over its first records: how soon goes by when flushes end.
  void write_past_the_journal(Database& database) {
    constexpr int kInAFile = 7;
    constexpr int kMost = 2000;
    const auto files = [&] {
      return std::distance(fs::directory_iterator(folder_ / "journal"), fs::directory_iterator());
    };
    do write_megabytes(database, 10);
    while (written_ <= files() * kInAFile && written_ < kMost);
    ASSERT_LT(written_, kMost);
  }

  fs::path root_;
  fs::path folder_;
  int written_ = 0;
};

TEST_F(CutListTest, IsRefusedBeforeATableFileIsRemoved) {
  std::uintmax_t earlier = 0;
  {
    Database database({.path = folder_});
    earlier = fs::file_size(list());
    write_past_the_journal(database);
  }
  const std::string whole = content(list());
  ASSERT_GT(whole.size(), earlier);
  fs::resize_file(list(), earlier);
  const auto before = tables();
  for (const bool salvage : {false, true, false}) {
    EXPECT_THAT(refusal(salvage), AllOf(HasSubstr(folder_.string()), HasSubstr("MANIFEST"), HasSubstr(*before.rbegin()),
                                        HasSubstr("from a backup")));
    EXPECT_EQ(tables(), before);
  }
  EXPECT_EQ(check_rocksdb_journal(folder_).state, JournalCheck::State::damaged);
  write(list(), whole);
  EXPECT_EQ(refusal(), "opened");
}

// As a crash in the middle of a flush leaves it: the journal has what the file was to hold.
TEST_F(CutListTest, OpensWhereTheJournalHasWhatTheListHasNot) {
  const std::string key = "0";
  {
    Database database({.path = folder_});
    write_megabytes(database, 1);
    copy_open_folder(folder_, root_ / "image");
  }
  folder_ = root_ / "image";
  write(folder_ / "000900.sst", "not finished");
  Database database({.path = folder_});
  EXPECT_TRUE(View(database).get(Table::item_body, key).has_value());
  EXPECT_FALSE(tables().contains("000900.sst"));
}

// The way out that the refusal names.
TEST_F(CutListTest, CanBeSalvagedOnceTheFilesAreMovedAway) {
  std::uintmax_t earlier = 0;
  std::set<std::string> listed;
  {
    Database database({.path = folder_});
    earlier = fs::file_size(list());
    listed = tables();
    write_past_the_journal(database);
  }
  fs::resize_file(list(), earlier);
  for (const std::string& name : tables()) {
    if (!listed.contains(name)) fs::remove(folder_ / name);
  }
  EXPECT_THAT(refusal(), HasSubstr("--salvage-damaged-log"));
  EXPECT_EQ(refusal(true), "opened");
}

}  // namespace
}  // namespace millrace::store::rocks
