// What survives and what is said when it does not: crashes, damage, a failed disk, a wrong folder. What
// a store means otherwise is in tests/conformance.
#include "store/rocksdb/rocksdb_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>

#include "store/installation.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/testing.h"

namespace millrace::store {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

auto finds(Severity severity, const testing::Matcher<const std::string&>& text) {
  return Contains(AllOf(Field(&Finding::severity, severity), Field(&Finding::text, text)));
}

constexpr ShardId kShard{3};
const queue::QueueKey kQueue{TenantId::default_tenant(), "events"};

class RocksStoreTest : public testing::Test {
 public:
  ~RocksStoreTest() override { fs::remove_all(root_); }

 protected:
  RocksStoreTest() {
    auto pattern = (fs::temp_directory_path() / "millrace-rocks-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    folder_ = root_ / "data";
  }

  std::unique_ptr<Store> open(const fs::path& folder) {
    return open_rocksdb({.path = folder, .block_cache_bytes = 8 << 20});
  }
  std::unique_ptr<Store> open() { return open(folder_); }

  // What opening says when it fails.
  std::string refusal(const RocksOptions& options) {
    try {
      open_rocksdb(options);
    } catch (const StoreError& error) {
      return error.what();
    }
    return "opened";
  }

  // What a crash would leave.
  fs::path crash_image() {
    auto image = root_ / fmt::format("image-{}", ++images_);
    rocks::copy_open_folder(folder_, image);
    return image;
  }

  fs::path root_;
  fs::path folder_;
  int images_ = 0;
};

shard::Batch create(std::uint64_t id, std::size_t payload_bytes = 1000) {
  queue::ItemRecord record;
  record.id = ItemId{id};
  record.lane = std::make_shared<const queue::LaneKey>(queue::LaneKey{kQueue, "default", {"tag"}});
  std::mt19937 random(static_cast<unsigned>(id));
  std::string payload;
  while (payload.size() < payload_bytes) payload.push_back(static_cast<char>('!' + random() % 90));  // not compressible
  auto body = std::make_shared<const queue::Body>(queue::Body{"title", std::nullopt, "tag", payload, Time{}});
  return {.shard = kShard, .items = {{record, body, std::nullopt}}};
}

void commit(Store& store, Epoch epoch, const shard::Batch& batch) { store.commit(epoch, {&batch, 1}); }

std::size_t live_items(Store& store) { return store.load(kShard).live.size(); }

fs::path largest(const fs::path& folder, std::string_view extension) {
  fs::path found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != extension) continue;
    if (found.empty() || entry.file_size() > fs::file_size(found)) found = entry.path();
  }
  return found;
}

void flip_byte(const fs::path& file, std::uintmax_t offset) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(offset));
  const auto byte = static_cast<char>(stream.get());
  stream.seekp(static_cast<std::streamoff>(offset));
  stream.put(static_cast<char>(byte ^ 0x40));
}

TEST_F(RocksStoreTest, CommitsSurviveACrash) {
  const auto store = open();
  const auto epoch = store->acquire({}).value();
  for (std::uint64_t id = 1; id <= 100; ++id) commit(*store, epoch, create(id));
  const auto image = crash_image();
  const auto recovered = open(image);
  EXPECT_EQ(live_items(*recovered), 100u);
  EXPECT_GT(recovered->acquire({}).value(), epoch);
}

fs::path journal_of(const fs::path& image) { return image / "journal" / "000001.log"; }

// Where the journal's last written page starts.
std::uintmax_t last_page(const fs::path& journal) {
  std::ifstream stream(journal, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  return bytes.find_last_not_of('\0') / 4096 * 4096;
}

TEST_F(RocksStoreTest, TornTailOfTheLogLosesTheLastCommitOnly) {
  const auto store = open();
  const auto epoch = store->acquire({}).value();
  for (std::uint64_t id = 1; id <= 50; ++id) commit(*store, epoch, create(id));
  for (const std::uintmax_t torn : {0, 20, 100}) {
    const auto image = crash_image();
    flip_byte(journal_of(image), last_page(journal_of(image)) + torn);
    EXPECT_EQ(live_items(*open(image)), 49u) << "torn at " << torn;
  }
}

TEST_F(RocksStoreTest, DamageWithinTheLogIsRefusedUnlessSalvaged) {
  const auto store = open();
  const auto epoch = store->acquire({}).value();
  for (std::uint64_t id = 1; id <= 50; ++id) commit(*store, epoch, create(id));
  const auto image = crash_image();
  flip_byte(journal_of(image), last_page(journal_of(image)) / 2 / 4096 * 4096 + 100);
  EXPECT_THAT(refusal({.path = image}), AllOf(HasSubstr(image.string()), HasSubstr("damaged")));
  {
    const auto salvaged = open_rocksdb({.path = image, .salvage_damaged_log = true});
    EXPECT_GT(live_items(*salvaged), 0u);
    EXPECT_LT(live_items(*salvaged), 50u);
    commit(*salvaged, salvaged->acquire({}).value(), create(100));
  }
  EXPECT_GT(live_items(*open(image)), 1u);
}

TEST_F(RocksStoreTest, ADamagedFirstPageOfTheOnlyJournalFileLosesNothing) {
  const auto store = open();
  const auto epoch = store->acquire({}).value();
  for (std::uint64_t id = 1; id <= 50; ++id) commit(*store, epoch, create(id));
  const auto image = crash_image();
  flip_byte(journal_of(image), 8);
  EXPECT_THAT(refusal({.path = image}), AllOf(HasSubstr("first page"), HasSubstr("loses nothing")));
  const auto check = check_rocksdb_journal(image);
  EXPECT_EQ(check.state, JournalCheck::State::damaged);
  EXPECT_THAT(check.text, HasSubstr("loses nothing"));
  EXPECT_EQ(live_items(*open_rocksdb({.path = image, .salvage_damaged_log = true})), 50u);
  EXPECT_EQ(live_items(*open(image)), 50u);
}

TEST_F(RocksStoreTest, TheJournalOfAStoppedFolderCanBeChecked) {
  EXPECT_EQ(check_rocksdb_journal(folder_).state, JournalCheck::State::absent);
  const auto store = open();
  const auto epoch = store->acquire({}).value();
  for (std::uint64_t id = 1; id <= 50; ++id) commit(*store, epoch, create(id));
  EXPECT_EQ(check_rocksdb_journal(folder_).state, JournalCheck::State::in_use);
  const auto image = crash_image();
  std::uint64_t done = 0;
  const auto whole = check_rocksdb_journal(image, [&](std::uint64_t read, std::uint64_t) { done = read; });
  EXPECT_EQ(whole.state, JournalCheck::State::whole);
  EXPECT_EQ(whole.last, 51u);
  EXPECT_EQ(whole.bytes, done);
  flip_byte(journal_of(image), last_page(journal_of(image)) / 2 / 4096 * 4096 + 100);
  EXPECT_EQ(check_rocksdb_journal(image).state, JournalCheck::State::damaged);
  EXPECT_THAT(refusal({.path = image}), HasSubstr("damaged"));  // nothing was changed by looking
}

TEST_F(RocksStoreTest, MissingJournalIsRefused) {
  const auto store = open();
  commit(*store, store->acquire({}).value(), create(1));
  const auto image = crash_image();
  // As if the tables had been copied without it.
  {
    rocks::Database flushed({.path = image});
  }
  fs::remove_all(image / "journal");
  EXPECT_THAT(refusal({.path = image}), HasSubstr("is missing"));
}

// Nothing of the store has been flushed yet, so only the journal had it.
TEST_F(RocksStoreTest, AJournalWithoutFilesIsRefusedFromTheFirstCommitOn) {
  const auto store = open();
  commit(*store, store->acquire({}).value(), create(1));
  for (const bool folder_too : {false, true}) {
    const auto image = crash_image();
    fs::remove(journal_of(image));
    if (folder_too) fs::remove_all(image / "journal");
    EXPECT_THAT(refusal({.path = image}), HasSubstr("has no files"));
  }
}

TEST_F(RocksStoreTest, WritesGoOnOnceTheDiskHasRoomAgain) {
  std::atomic<std::uint64_t> free = std::uint64_t{100} << 20;
  const auto store = open_rocksdb({.path = folder_, .free_bytes = [&] { return std::optional(free.load()); }});
  EXPECT_THAT(std::string(store->unwritable()), HasSubstr("nearly full"));
  EXPECT_THAT(store->health().findings, Contains(Field(&Finding::severity, Severity::fault)));
  free = std::uint64_t{1} << 40;
  while (!store->unwritable().empty()) std::this_thread::yield();
  commit(*store, store->acquire({}).value(), create(1));
  EXPECT_EQ(live_items(*store), 1u);
}

TEST_F(RocksStoreTest, ADiskThatFillsUpIsNoticedThoughNothingIsWritten) {
  std::atomic<std::uint64_t> free = std::uint64_t{1} << 40;
  const auto store = open_rocksdb({.path = folder_, .free_bytes = [&] { return std::optional(free.load()); }});
  EXPECT_EQ(store->unwritable(), "");
  free = std::uint64_t{100} << 20;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (store->unwritable().empty() && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
  EXPECT_THAT(std::string(store->unwritable()), HasSubstr("nearly full"));
}

// Its files come free as tables are written, however far those are behind, and a crash loses nothing.
TEST_F(RocksStoreTest, JournalStaysSmallerThanWhatIsWritten) {
  constexpr std::size_t kBytes = 200'000;
  const auto store = open();
  const auto epoch = store->acquire({}).value();
  const auto journal_bytes = [this] {
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder_ / "journal")) bytes += entry.file_size();
    return bytes;
  };
  std::uint64_t written = 0;
  do {
    for (int i = 0; i < 100; ++i) commit(*store, epoch, create(++written, kBytes));
  } while (journal_bytes() > written * kBytes / 2 && written < 5000);
  EXPECT_LE(journal_bytes(), written * kBytes / 2);
  EXPECT_EQ(live_items(*open(crash_image())), written);
}

TEST_F(RocksStoreTest, FlippedByteInATableIsFoundByItsChecksum) {
  {
    const auto store = open();
    const auto epoch = store->acquire({}).value();
    for (std::uint64_t id = 1; id <= 20; ++id) commit(*store, epoch, create(id, 20'000));
  }
  const auto table = largest(folder_, ".sst");
  flip_byte(table, fs::file_size(table) / 2);
  const auto store = open();
  std::string message;
  for (std::uint64_t id = 1; id <= 20 && message.empty(); ++id) {
    try {
      store->item(kShard, kQueue, ItemId{id});
    } catch (const StoreError& error) {
      EXPECT_EQ(error.fate(), Fate::broken);
      message = error.what();
    }
  }
  EXPECT_THAT(message, AllOf(HasSubstr("item_body"), HasSubstr("default"), HasSubstr("events"), HasSubstr("checksum")));
}

TEST_F(RocksStoreTest, ValueThatDoesNotDecodeIsNamed) {
  {
    rocks::Database database({.path = folder_});
    rocksdb::WriteBatch batch;
    database.put(batch, rocks::Table::item_live, rocks::item_key(kShard, kQueue, ItemId{1}), "\x01nonsense");
    database.write(batch);
  }
  const auto store = open();
  try {
    store->load(kShard);
    FAIL() << "loaded";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.fate(), Fate::broken);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("item_live"), HasSubstr("default\\x00events")));
  }
}

TEST_F(RocksStoreTest, FailedWriteEndsAllWriting) {
  auto store = open();
  const auto epoch = store->acquire({}).value();
  commit(*store, epoch, create(1));
  // No file may grow any more: the next append to the log fails.
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit no_growth{.rlim_cur = 1, .rlim_max = old_limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &no_growth), 0);
  std::optional<Fate> fate;
  try {
    commit(*store, epoch, create(2));
  } catch (const StoreError& error) {
    fate = error.fate();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, old_action);
  EXPECT_EQ(fate, Fate::broken);
  // The disk is well again, but nobody knows what it holds.
  EXPECT_THROW(commit(*store, epoch, create(3)), StoreError);
  EXPECT_THROW(store->acquire({}), StoreError);
  EXPECT_EQ(live_items(*store), 1u);
  store.reset();
  store = open();
  const auto live = live_items(*store);
  EXPECT_TRUE(live == 1 || live == 2) << live;
  commit(*store, store->acquire({}).value(), create(3));
  EXPECT_EQ(live_items(*store), live + 1);
}

TEST_F(RocksStoreTest, SecondUserOfAFolderIsRefused) {
  const auto store = open();
  EXPECT_THAT(refusal({.path = folder_}), HasSubstr("another process uses this data folder"));
}

TEST_F(RocksStoreTest, NewerFormatIsRefusedByNumber) {
  {
    rocks::Database database({.path = folder_});
    rocksdb::WriteBatch batch;
    std::string value;
    encode_number(value, rocks::kFormat + 6);
    database.put(batch, rocks::Table::meta, rocks::kFormatKey, value);
    database.write(batch);
    rocksdb::ColumnFamilyHandle* added = nullptr;  // a table that this program does not know
    ASSERT_TRUE(database.raw().CreateColumnFamily({}, "from_the_future", &added).ok());
    database.raw().DestroyColumnFamilyHandle(added);
  }
  const auto both = AllOf(HasSubstr(fmt::format("format {}", rocks::kFormat + 6)),
                          HasSubstr(fmt::format("up to {}", rocks::kFormat)));
  EXPECT_THAT(refusal({.path = folder_}), both);
  EXPECT_THAT(inspect_rocksdb_folder(folder_), finds(Severity::fault, both));
}

TEST_F(RocksStoreTest, FolderIsMadeForItsOwnerAlone) {
  folder_ = root_ / "a" / "b";
  open();
  struct stat found{};
  ASSERT_EQ(::stat(folder_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700u);
}

TEST_F(RocksStoreTest, FolderThatIsAFileIsRefused) {
  std::ofstream(folder_) << "text";
  EXPECT_THAT(refusal({.path = folder_}), HasSubstr("is not a folder"));
  EXPECT_THAT(refusal({.path = ""}), HasSubstr("no data folder"));
}

TEST_F(RocksStoreTest, FolderOpenToOthersIsWarnedOf) {
  auto store = open();
  EXPECT_THAT(inspect_rocksdb_folder(folder_), IsEmpty());
  ::chmod(folder_.c_str(), 0755);
  EXPECT_THAT(inspect_rocksdb_folder(folder_), finds(Severity::warning, HasSubstr("0755")));
  EXPECT_THAT(store->health().findings, finds(Severity::warning, HasSubstr("0755")));
  EXPECT_THAT(inspect_rocksdb_folder(root_ / "nothing"), IsEmpty());
}

TEST_F(RocksStoreTest, HealthSaysHowDurableACommitIs) {
  EXPECT_EQ(open()->health().durability, "fsync");
  EXPECT_EQ(open_rocksdb({.path = folder_, .sync = false})->health().durability, "none");
}

// S0.9: whose blobs a shared place holds.
TEST_F(RocksStoreTest, AnInstallationIsMadeOnceAndGoesWithTheFolder) {
  const auto store = open();
  EXPECT_EQ(find_rocksdb_installation(folder_), std::nullopt);
  const std::string made = rocksdb_installation(folder_);
  EXPECT_TRUE(is_installation(made));
  EXPECT_EQ(rocksdb_installation(folder_), made);
  EXPECT_EQ(find_rocksdb_installation(crash_image()), made);
  const auto other = open(root_ / "other");
  EXPECT_NE(rocksdb_installation(root_ / "other"), made);
}

TEST_F(RocksStoreTest, AnInstallationThatCannotBeReadIsNotReplaced) {
  fs::create_directory(folder_);
  const fs::path file = folder_ / "installation";
  fs::create_symlink(file, file);  // root may read anything else
  EXPECT_THROW(rocksdb_installation(folder_), StoreError);
  EXPECT_TRUE(fs::is_symlink(file));
}

TEST_F(RocksStoreTest, ADamagedInstallationIsNotReplaced) {
  const auto store = open();
  rocksdb_installation(folder_);
  std::ofstream(folder_ / "installation") << "?";
  EXPECT_THROW(rocksdb_installation(folder_), StoreError);
  EXPECT_THROW(find_rocksdb_installation(folder_), StoreError);
}

}  // namespace
}  // namespace millrace::store
