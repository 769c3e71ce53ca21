#include "blob/folder_store.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/unavailable.h"
#include "blob/file_name.h"

namespace millrace::blob {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

const TenantId kAcme = *TenantId::parse("acme");
const TenantId kOther = *TenantId::parse("other");

class FolderStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "millrace-blob-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::unique_ptr<BlobStore> open(std::function<int(int)> sync = {}) {
    return open_folder({.root = (folder_ / "blobs").string(), .sync = std::move(sync)});
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      if (entry.is_regular_file()) found.push_back(entry.path());
    }
    return found;
  }
  void age(const fs::path& file, std::chrono::seconds by) { fs::last_write_time(file, fs::last_write_time(file) - by); }

  fs::path folder_;
};

TEST_F(FolderStoreTest, GivesBackWhatItWasGivenAlsoAfterAReopen) {  // S0.9
  const std::string bytes("\0\n\xff x", 5);
  EXPECT_EQ(open()->put(kAcme, "events/r/e-payload.json", bytes), Put::stored);
  EXPECT_EQ(open()->get(kAcme, "events/r/e-payload.json"), bytes);
  EXPECT_EQ(open()->get(kAcme, "events/r/e"), std::nullopt);
}

TEST_F(FolderStoreTest, TenantsDoNotSeeEachOther) {  // S0.9
  auto store = open();
  store->put(kAcme, "k", "1");
  EXPECT_EQ(store->get(kOther, "k"), std::nullopt);
  EXPECT_EQ(store->put(kOther, "k", "2"), Put::stored);
  EXPECT_EQ(store->get(kAcme, "k"), "1");
}

TEST_F(FolderStoreTest, AKeyKeepsItsBytes) {
  auto store = open();
  EXPECT_EQ(store->put(kAcme, "k", "first"), Put::stored);
  EXPECT_EQ(store->put(kAcme, "k", "first"), Put::stored);
  EXPECT_EQ(store->put(kAcme, "k", "other"), Put::taken);
  EXPECT_EQ(store->get(kAcme, "k"), "first");
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(FolderStoreTest, NoKeyLeadsOutOfTheFolder) {
  auto store = open();
  const std::string keys[] = {"..",
                              ".",
                              "../../etc/passwd",
                              "/etc/passwd",
                              "a/../../b",
                              "a//b",
                              "%2e%2e",
                              "a\\b",
                              std::string("a\0b", 3),
                              ".unfinished-1",
                              "~",
                              "x+",
                              std::string(kKeyBytesMax, '/'),
                              std::string(kKeyBytesMax, 'x'),
                              std::string(199, 'x') + "..",
                              "\xc3\xa4"};
  for (const std::string& key : keys) EXPECT_EQ(store->put(kAcme, key, "of " + key), Put::stored) << key;
  for (const std::string& key : keys) EXPECT_EQ(store->get(kAcme, key), "of " + key) << key;
  for (const fs::path& file : files()) {
    EXPECT_TRUE(file.string().starts_with((folder_ / "blobs/acme/").string())) << file;
    for (const fs::path& name : fs::relative(file, folder_)) EXPECT_LE(name.string().size(), 201u);
  }
  std::vector<std::string> listed;
  for (const Entry& entry : store->list("", 1000).entries) listed.push_back(entry.key);
  EXPECT_THAT(listed, testing::UnorderedElementsAreArray(keys));
}

TEST_F(FolderStoreTest, OnlyTheOwnerMayRead) {
  open()->put(kAcme, "k", "secret");
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    struct stat status{};
    ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, entry.is_directory() ? 0700u : 0600u) << entry.path();
  }
}

TEST_F(FolderStoreTest, BytesAreSyncedBeforeTheNameAndTheNameBeforeTheAnswer) {  // S0.9
  open()->put(kAcme, "k", "old");                                                // the folders are there
  std::vector<std::string> order;
  auto store = open([&](int file) {
    struct stat status{};
    EXPECT_EQ(::fstat(file, &status), 0);
    const bool named = open()->get(kAcme, "k").has_value();
    order.push_back(std::string(S_ISDIR(status.st_mode) ? "folder" : "file") + (named ? " named" : " unnamed"));
    return 0;
  });
  store->remove(kAcme, "k", kNever);
  store->put(kAcme, "k", "new");
  EXPECT_THAT(order, ElementsAre("file unnamed", "folder named"));
}

TEST_F(FolderStoreTest, APutThatCannotBeSyncedIsNotAcknowledged) {  // S0.9
  int until_failure = 0;
  const auto failing = [&](int) { return until_failure-- == 0 ? (errno = EIO, -1) : 0; };
  open();
  // Three new folders, the file, its folder: every one of these may fail.
  int failed = 0;
  for (int at = 0; at < 10; ++at) {
    fs::remove_all(folder_ / "blobs/acme");
    until_failure = 1000;
    auto store = open(failing);
    until_failure = at;
    bool acknowledged = false;
    try {
      acknowledged = store->put(kAcme, "k", "v") == Put::stored;
    } catch (const Unavailable&) {
      ++failed;
    }
    if (acknowledged) EXPECT_EQ(open()->get(kAcme, "k"), "v");
    until_failure = 1000;
    EXPECT_EQ(store->put(kAcme, "k", "v"), Put::stored) << "a second try after failure " << at;
    EXPECT_EQ(files().size(), 1u) << "nothing unfinished is left";
  }
  EXPECT_GE(failed, 4);
}

TEST_F(FolderStoreTest, RemovesOnlyWhatIsOldEnough) {
  auto store = open();
  store->put(kAcme, "k", "v");
  const Time written = store->list("", 10).entries.at(0).written;
  store->remove(kAcme, "k", written);
  EXPECT_TRUE(store->get(kAcme, "k"));
  age(files().at(0), std::chrono::hours(2));
  store->put(kAcme, "k", "v");
  store->remove(kAcme, "k", written - std::chrono::hours(1));
  EXPECT_TRUE(store->get(kAcme, "k")) << "the same bytes again count as new";
  store->remove(kAcme, "k", kNever);
  EXPECT_FALSE(store->get(kAcme, "k"));
  store->remove(kAcme, "k", kNever);
}

TEST_F(FolderStoreTest, ListsEverythingOncePageByPage) {
  auto store = open();
  for (int i = 0; i < 100; ++i) store->put(i % 2 == 0 ? kAcme : kOther, "k" + std::to_string(i), "v");
  std::vector<std::string> keys;
  std::string cursor;
  int pages = 0;
  do {
    const Page page = store->list(cursor, 10);
    for (const Entry& entry : page.entries) keys.push_back(entry.key);
    cursor = page.next;
    ++pages;
  } while (!cursor.empty());
  EXPECT_GT(pages, 5);
  EXPECT_EQ(keys.size(), 100u);
  std::ranges::sort(keys);
  EXPECT_EQ(std::ranges::unique(keys).size(), 0u);
}

TEST_F(FolderStoreTest, WhatAnInterruptedPutLeftIsSweptAfterAnHour) {
  auto store = open();
  store->put(kAcme, "k", "v");
  const fs::path left = files().at(0).parent_path() / ".unfinished-1-1";
  std::ofstream(left) << "half";
  EXPECT_EQ(store->list("", 10).entries.size(), 1u);
  EXPECT_TRUE(fs::exists(left));
  age(left, std::chrono::hours(2));
  EXPECT_EQ(store->list("", 10).entries.size(), 1u);
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(FolderStoreTest, APlaceThatIsNoFolderIsRefused) {
  std::ofstream(folder_ / "blobs") << "in the way";
  EXPECT_THROW(open(), Unavailable);
}

TEST(FileName, ForeignFilesHaveNoKey) {
  for (const char* path : {"", ".hidden", "a b", "a%2", "a%zz", "%61", "a+", "a/b"}) {
    EXPECT_EQ(key_of_path(path), std::nullopt) << path;
  }
}

TEST_F(FolderStoreTest, ItsMarkIsDurableAndTheFirstOneStays) {  // S0.9
  const std::string one(32, '1');
  const std::string two(32, '2');
  int synced = 0;
  auto store = open([&](int file) { return ++synced, ::fsync(file); });
  EXPECT_EQ(store->mark()->owner(), std::nullopt);
  const int before = synced;
  EXPECT_TRUE(store->mark()->mark_first(one));
  EXPECT_EQ(synced, before + 2);  // the file and its name
  EXPECT_FALSE(open()->mark()->mark_first(two));
  EXPECT_EQ(read_folder_mark((folder_ / "blobs").string()), one);
  store->mark()->mark_anew(two);
  EXPECT_EQ(open()->mark()->owner(), two);
  EXPECT_TRUE(store->list("", 10).entries.empty());
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(FolderStoreTest, AFolderThatIsNotThereHasNoMark) {
  EXPECT_EQ(read_folder_mark((folder_ / "none").string()), std::nullopt);
}

}  // namespace
}  // namespace millrace::blob
