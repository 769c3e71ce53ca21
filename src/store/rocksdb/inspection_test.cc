// What is said of a damaged folder without opening it for a start, and that saying it changes nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "store/rocksdb/database.h"
#include "store/rocksdb/rocksdb_store.h"
#include "store/rocksdb/testing.h"

namespace millrace::store {
namespace {

namespace fs = std::filesystem;
using rocks::content;
using rocks::everything_in;
using rocks::write;
using testing::HasSubstr;
using testing::IsEmpty;

class InspectionTest : public testing::Test {
 public:
  ~InspectionTest() override { fs::remove_all(folder_); }

 protected:
  InspectionTest() {
    auto pattern = (fs::temp_directory_path() / "millrace-inspection-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    rocks::Database database({.path = folder_});
    rocksdb::WriteBatch batch;
    database.put(batch, rocks::Table::documents, "key", "value");
    database.write(batch);
    EXPECT_THAT(inspect_rocksdb_folder(folder_), IsEmpty());  // in use
  }

  // The table files that one table lies in.
  std::vector<fs::path> files_of(rocks::Table table) {
    rocks::Database database({.path = folder_});
    rocksdb::ColumnFamilyMetaData found;
    database.raw().GetColumnFamilyMetaData(database.family(table), &found);
    std::vector<fs::path> files;
    for (const auto& level : found.levels) {
      for (const auto& file : level.files) files.push_back(folder_ / file.name.substr(1));
    }
    return files;
  }

  fs::path manifest() { return folder_ / content(folder_ / "CURRENT").substr(0, 15); }

  void expect_fault(const std::string& names) {
    const auto before = everything_in(folder_);
    const Findings findings = inspect_rocksdb_folder(folder_);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].severity, Severity::fault);
    EXPECT_THAT(findings[0].text, testing::AllOf(HasSubstr(folder_.string()), HasSubstr(names)));
    EXPECT_EQ(everything_in(folder_), before);
  }

  // A start says the same.
  void expect_refusal(const std::string& names) {
    try {
      const rocks::Database opened({.path = folder_});
      ADD_FAILURE() << "opened";
    } catch (const StoreError& error) {
      EXPECT_THAT(error.what(), HasSubstr(names));
    }
  }

  fs::path folder_;
};

TEST_F(InspectionTest, FindsNothingWrongWithAWholeFolder) {
  EXPECT_THAT(inspect_rocksdb_folder(folder_), IsEmpty());
  EXPECT_EQ(check_rocksdb_journal(folder_).state, JournalCheck::State::whole);
}

TEST_F(InspectionTest, FindsThatCurrentIsLost) {
  fs::remove(folder_ / "CURRENT");
  expect_fault("CURRENT is missing");
}

TEST_F(InspectionTest, FindsADamagedManifest) {
  std::string bytes = content(manifest());
  bytes[bytes.size() / 2] ^= 0x40;
  write(manifest(), bytes);
  expect_fault(manifest().filename());
}

TEST_F(InspectionTest, FindsAManifestThatWasEmptied) {
  const std::string bytes = content(manifest());
  for (const std::size_t kept : {0, 20}) {
    write(manifest(), bytes.substr(0, kept));
    expect_fault(manifest().filename());
  }
}

TEST_F(InspectionTest, FindsADamagedFileOfTheTableThatHoldsTheFormat) {
  const auto files = files_of(rocks::Table::meta);
  ASSERT_FALSE(files.empty());
  for (const fs::path& file : files) {
    std::string bytes = content(file);
    bytes[10] ^= 0x40;  // of the first block, which has its keys
    write(file, bytes);
  }
  expect_fault(files.front().filename());
  EXPECT_EQ(check_rocksdb_journal(folder_).state, JournalCheck::State::damaged);
}

TEST_F(InspectionTest, FindsAMissingFileOfAnyTable) {
  for (const auto table : {rocks::Table::documents, rocks::Table::meta}) {
    const fs::path file = files_of(table).front();
    const std::string bytes = content(file);
    fs::remove(file);
    expect_fault(file.filename());
    expect_refusal(file.filename());
    write(file, bytes.substr(0, bytes.size() - 1));
    expect_fault(file.filename());
    expect_refusal(file.filename());
    write(file, bytes);
  }
  EXPECT_THAT(inspect_rocksdb_folder(folder_), IsEmpty());
}

}  // namespace
}  // namespace millrace::store
