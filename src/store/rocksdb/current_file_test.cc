// A folder that has lost its way into RocksDB is refused as it is; a new one, and what a crash leaves of its first
// start, are not.
#include "store/rocksdb/current_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "store/rocksdb/database.h"
#include "store/rocksdb/testing.h"
#include "store/store_error.h"

namespace millrace::store::rocks {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

void remove_all_like(const fs::path& folder, const std::function<bool(const fs::path&)>& unwanted) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (unwanted(entry.path())) found.push_back(entry.path());
  }
  for (const auto& path : found) fs::remove_all(path);
}

bool is_table(const fs::path& path) { return path.extension() == ".sst"; }
bool is_manifest(const fs::path& path) { return path.filename().string().starts_with("MANIFEST-"); }
bool is_log(const fs::path& path) { return path.extension() == ".log"; }

class CurrentFileTest : public testing::Test {
 public:
  ~CurrentFileTest() override { fs::remove_all(root_); }

 protected:
  CurrentFileTest() {
    auto pattern = (fs::temp_directory_path() / "millrace-current-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    folder_ = root_ / "data";
  }

  // A folder with a store in it, stopped in good order.
  void make_store() {
    for (int start = 0; start < 2; ++start) {
      Database database({.path = folder_});
      rocksdb::WriteBatch batch;
      database.put(batch, Table::documents, "key", "value");
      database.write(batch);
    }
  }

  std::string refusal(bool salvage = false) {
    try {
      const Database opened({.path = folder_, .salvage_damaged_log = salvage});
    } catch (const StoreError& error) {
      EXPECT_EQ(error.fate(), Fate::broken);
      return error.what();
    }
    return "opened";
  }

  // Twice, because a refused start must not leave what makes the next one different.
  void expect_refused_untouched(const testing::Matcher<std::string>& says) {
    const auto before = everything_in(folder_);
    for (const bool salvage : {false, true, false}) {
      EXPECT_THAT(refusal(salvage), AllOf(HasSubstr(folder_.string()), says, HasSubstr("from a backup")));
      EXPECT_EQ(everything_in(folder_), before);
    }
    EXPECT_THAT(current_file_fault(folder_).value_or("nothing"), says);
  }

  void expect_opens() {
    EXPECT_EQ(current_file_fault(folder_), std::nullopt);
    EXPECT_EQ(refusal(), "opened");
    EXPECT_EQ(refusal(), "opened");
  }

  fs::path current() const { return folder_ / "CURRENT"; }

  fs::path root_;
  fs::path folder_;
};

TEST_F(CurrentFileTest, AFolderThatLostCurrentIsRefusedAsItIs) {
  make_store();
  fs::remove(current());
  expect_refused_untouched(
      AllOf(HasSubstr("CURRENT is missing"), HasSubstr(".sst"), HasSubstr("MANIFEST-"), HasSubstr("journal")));
}

TEST_F(CurrentFileTest, EachThingThatOnlyAStoreLeavesIsEnough) {
  for (const auto& kept : {is_table, is_manifest, is_log}) {
    make_store();
    remove_all_like(folder_, [&](const fs::path& path) { return !kept(path); });
    ASSERT_FALSE(fs::is_empty(folder_));
    expect_refused_untouched(HasSubstr("CURRENT is missing"));
    fs::remove_all(folder_);
  }
  fs::create_directories(folder_ / "journal");
  expect_refused_untouched(AllOf(HasSubstr("CURRENT is missing"), HasSubstr("journal")));
}

TEST_F(CurrentFileTest, ACurrentThatSaysNothingIsRefused) {
  make_store();
  for (const std::string damage :
       {"", "\n", "hello\n", "MANIFEST-", "MANIFEST-\n", "MANIFEST-00x\n", "../MANIFEST-1\n"}) {
    write(current(), damage);
    expect_refused_untouched(HasSubstr(damage.empty() ? "CURRENT is empty" : "CURRENT is damaged"));
  }
  // Without its last byte it may name another one.
  std::string cut = "MANIFEST-000005";
  write(current(), cut);
  expect_refused_untouched(HasSubstr("CURRENT is damaged"));
}

TEST_F(CurrentFileTest, ACurrentThatNamesAMissingManifestIsRefused) {
  make_store();
  write(current(), "MANIFEST-000999\n");
  expect_refused_untouched(HasSubstr("CURRENT names MANIFEST-000999, which is missing"));
}

TEST_F(CurrentFileTest, ACurrentThatCannotBeReadIsNotTakenForAMissingOne) {
  make_store();
  fs::remove(current());
  fs::create_directory(current());
  expect_refused_untouched(HasSubstr("CURRENT cannot be read: Is a directory"));
}

TEST_F(CurrentFileTest, ACurrentOfAnotherUserIsNoLoss) {
  make_store();
  fs::permissions(root_, fs::perms::all);
  fs::permissions(folder_, fs::perms::all);
  fs::permissions(current(), fs::perms::none);
  const uid_t self = ::geteuid();
  constexpr uid_t kNobody = 65534;
  ASSERT_TRUE(self != 0 || ::seteuid(kNobody) == 0);  // root may read anything
  const auto fault = current_file_fault(folder_);
  ASSERT_TRUE(self != 0 || ::seteuid(self) == 0);
  EXPECT_THAT(fault.value_or("nothing"), AllOf(HasSubstr("CURRENT cannot be read: Permission denied"),
                                               HasSubstr("chown"), testing::Not(HasSubstr("backup"))));
}

// Earlier versions made a new CURRENT beside the old tables and then refused; a second start removed these.
TEST_F(CurrentFileTest, ACurrentOfANewDatabaseBesideOldTablesIsRefused) {
  make_store();
  fs::remove(current());
  write(folder_ / "MANIFEST-000001", "of a new database");
  write(current(), "MANIFEST-000001\n");
  expect_refused_untouched(AllOf(HasSubstr("CURRENT names MANIFEST-000001"), HasSubstr("new database")));
}

// As docs/operations.md tells: CURRENT is nothing but the name of the list.
TEST_F(CurrentFileTest, ACurrentThatNamesTheListAgainBringsEverythingBack) {
  make_store();
  const std::string whole = content(current());
  fs::remove(current());
  EXPECT_NE(refusal(), "opened");
  write(current(), whole);
  Database database({.path = folder_});
  EXPECT_EQ(View(database).get(Table::documents, "key"), "value");
}

TEST_F(CurrentFileTest, ANewFolderIsNoLossOfAnything) {
  expect_opens();
  fs::remove_all(folder_);
  fs::create_directory(folder_);
  expect_opens();
}

// In the order in which RocksDB 7.8 makes them; the journal and all that follows come later.
TEST_F(CurrentFileTest, WhatACrashOfTheFirstStartLeavesStillStarts) {
  make_store();  // a store whose first list was made is on another one since
  EXPECT_NE(content(current()), "MANIFEST-000001\n");
  const std::pair<const char*, const char*> steps[] = {{"LOCK", ""},
                                                       {"000000.dbtmp", "half of an i"},
                                                       {"IDENTITY", "of this database"},
                                                       {"MANIFEST-000001", ""},
                                                       {"000001.dbtmp", "MANIF"}};
  for (std::size_t until = 1; until <= std::size(steps); ++until) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    for (std::size_t i = 0; i < until; ++i) write(folder_ / steps[i].first, steps[i].second);
    SCOPED_TRACE(steps[until - 1].first);
    expect_opens();
  }
}

// CURRENT is there, nothing of ours yet.
TEST_F(CurrentFileTest, ACrashBeforeTheFormatIsNotedStillStarts) {
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* made = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, folder_, &made).ok());
  delete made;
  for (const bool with_marker : {false, true}) {
    const fs::path image = root_ / "image";
    fs::remove_all(image);
    fs::copy(folder_, image, fs::copy_options::recursive);
    {
      const Journal journal({.folder = image / "journal"});
    }
    if (!with_marker) fs::remove(image / "journal" / "newest");
    fs::remove(image / "journal" / "000001.log");
    EXPECT_EQ(current_file_fault(image), std::nullopt);
    Database opened({.path = image});
  }
}

}  // namespace
}  // namespace millrace::store::rocks
