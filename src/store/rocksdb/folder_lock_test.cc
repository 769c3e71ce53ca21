#include "store/rocksdb/folder_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "store/rocksdb/database.h"
#include "store/rocksdb/rocksdb_store.h"
#include "store/store_error.h"

namespace millrace::store::rocks {
namespace {

namespace fs = std::filesystem;
using rocksdb::Status;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// As RocksDB's IOError() makes them: what was done, to which file, and what errno said.
Status said(const std::string& done, const std::string& file, const std::string& why) {
  return Status::IOError(done + ": " + file, why);
}

TEST(LockRefusal, IsInUseWhereSomebodyHoldsIt) {
  EXPECT_EQ(lock_refusal("/d", said("While lock file", "/d/LOCK", "Resource temporarily unavailable")), kLockInUse);
  EXPECT_EQ(lock_refusal("/d", said("lock hold by current process, acquire time 1 acquiring thread 2", "/d/LOCK",
                                    "No locks available")),
            kLockInUse);
}

// No other process is to be looked for where it is a matter of rights.
TEST(LockRefusal, SaysWhatKeepsItFromBeingTaken) {
  for (const std::string why : {"Permission denied", "Operation not permitted", "Read-only file system"}) {
    const auto text = lock_refusal("/d", said("while open a file for lock", "/d/LOCK", why));
    EXPECT_THAT(text.value_or(""),
                AllOf(HasSubstr("LOCK cannot be opened: " + why), Not(HasSubstr("another process"))));
  }
  const auto no_locks = lock_refusal("/d", said("While lock file", "/d/LOCK", "No locks available"));
  EXPECT_THAT(no_locks.value_or(""), AllOf(HasSubstr("LOCK cannot be locked: No locks available")));
}

TEST(LockRefusal, IsNoneForOtherFailures) {
  EXPECT_EQ(lock_refusal("/d", Status::OK()), std::nullopt);
  EXPECT_EQ(lock_refusal("/d", Status::Corruption("/d/LOCK: it")), std::nullopt);
  // Only the name of the folder says LOCK.
  EXPECT_EQ(lock_refusal("/LOCKS", said("While open", "/LOCKS/CURRENT", "Permission denied")), std::nullopt);
}

TEST(FolderLock, ALockThatCannotBeOpenedIsNamed) {
  auto pattern = (fs::temp_directory_path() / "millrace-lock-XXXXXX").string();
  const fs::path folder = ::mkdtemp(pattern.data());
  {
    const Database made({.path = folder});
  }
  fs::remove(folder / "LOCK");
  fs::create_directory(folder / "LOCK");  // what root cannot open either
  std::string text;
  try {
    const Database opened({.path = folder});
  } catch (const StoreError& error) {
    text = error.what();
    EXPECT_EQ(error.fate(), Fate::broken);
  }
  EXPECT_THAT(text, AllOf(HasSubstr(folder.string()), HasSubstr("LOCK cannot be opened: Is a directory")));
  const auto findings = inspect_rocksdb_folder(folder);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, Severity::fault);
  EXPECT_THAT(findings[0].text, HasSubstr("LOCK cannot be opened: Is a directory"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace millrace::store::rocks
