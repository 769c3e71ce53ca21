#include "store/rocksdb/direct_writes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "store/rocksdb/database.h"

namespace millrace::store::rocks {
namespace {

namespace fs = std::filesystem;

class DirectWritesTest : public ::testing::Test {
 public:
  ~DirectWritesTest() override { fs::remove_all(folder_); }

 protected:
  DirectWritesTest() { fs::create_directories(folder_); }

  // Adds a key and flushes it, in a database that is opened for that and closed. Gives how many keys it has.
  int add(const std::string& key, bool past_cache) {
    Database database({.path = folder_ / "data", .past_cache = past_cache});
    rocksdb::WriteBatch batch;
    database.put(batch, Table::documents, key, std::string(10'000, 'x'));
    database.write(batch);
    const auto options = database.raw().GetDBOptions();
    EXPECT_EQ(options.use_direct_io_for_flush_and_compaction, past_cache && takes_direct_writes(folder_));
    int keys = 0;
    View(database).scan(Table::documents, "", "z", [&](auto, auto value) { return keys += value.size() == 10'000; });
    return keys;
  }

  fs::path folder_ = fs::temp_directory_path() / ("millrace-direct-" + std::to_string(getpid()));
};

// Where a file can be opened for it, a page can be written: true of the file systems that these tests run on.
TEST_F(DirectWritesTest, AreTakenWhereAFileCanBeOpenedForThem) {
  const fs::path file = folder_ / "file";
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
  if (opened >= 0) close(opened);
  EXPECT_EQ(takes_direct_writes(folder_), opened >= 0);
}

TEST_F(DirectWritesTest, LeaveNothingBehind) {
  takes_direct_writes(folder_);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(DirectWritesTest, TakeAwayWhatACrashLeft) {
  std::ofstream(folder_ / "direct.new") << "left";
  takes_direct_writes(folder_);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(DirectWritesTest, AreNotTakenWhereNothingCanBeWritten) {
  EXPECT_FALSE(takes_direct_writes((folder_ / "missing").string()));
  EXPECT_FALSE(takes_direct_writes("/proc/self"));
}

// Also on file systems that take no direct writes: those read with them are the same files.
TEST_F(DirectWritesTest, AFolderGoesOnEitherWay) {
  EXPECT_EQ(1, add("a", true));
  EXPECT_EQ(2, add("b", false));
  EXPECT_EQ(3, add("c", true));
}

}  // namespace
}  // namespace millrace::store::rocks
