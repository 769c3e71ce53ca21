#include "store/rocksdb/journal.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "store/rocksdb/testing.h"
#include "store/store_error.h"

namespace millrace::store::rocks {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class JournalTest : public ::testing::Test {
 public:
  ~JournalTest() override { std::filesystem::remove_all(root_); }

 protected:
  JournalTest() : root_(std::filesystem::temp_directory_path() / ("millrace-journal-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(root_);
    std::filesystem::create_directory(root_);
  }

  JournalOptions options() const { return {.folder = (root_ / "journal").string(), .segment_bytes = 16 * kPage}; }
  std::vector<std::string> replayed(Journal& journal, std::uint64_t applied,
                                    Journal::Damage damage = Journal::Damage::refuse) {
    std::vector<std::string> records;
    journal.replay(
        applied, damage, [&](std::string_view record) { records.emplace_back(record); }, [&] { ++made_durable_; });
    return records;
  }
  std::vector<std::string> reopened(std::uint64_t applied, Journal::Damage damage = Journal::Damage::refuse) {
    Journal journal(options());
    return replayed(journal, applied, damage);
  }
  // What a start says that refuses the folder.
  std::string refusal(std::uint64_t applied) {
    try {
      reopened(applied);
    } catch (const StoreError& error) {
      return error.what();
    }
    return "opened";
  }
  std::filesystem::path file(int slot) const {
    return root_ / "journal" / (std::string("00000") + char('0' + slot) + ".log");
  }
  void overwrite(int slot, std::size_t at, std::string_view bytes) {
    std::fstream stream(file(slot), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(at));
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  // Records 1..count of one page each, `text` and their number.
  enum class Sync { on, off };
  void fill(int count, Sync sync = Sync::on) {
    auto chosen = options();
    chosen.sync = sync == Sync::on;
    Journal journal(chosen);
    replayed(journal, 0);
    for (int i = 1; i <= count; ++i) journal.append("record " + std::to_string(i));
  }

  std::filesystem::path root_;
  int made_durable_ = 0;
};

TEST_F(JournalTest, GivesBackWhatWasAppendedAboveTheAppliedNumber) {
  fill(5);
  EXPECT_EQ((std::vector<std::string>{"record 3", "record 4", "record 5"}), reopened(2));
  EXPECT_TRUE(reopened(5).empty());
}

TEST_F(JournalTest, GoesOnWhereItEnded) {
  fill(3);
  {
    Journal journal(options());
    replayed(journal, 0);
    EXPECT_EQ(4u, journal.next());
    journal.append("record 4");
  }
  EXPECT_EQ(4u, reopened(0).size());
}

TEST_F(JournalTest, UsesFilesAgainOnceTheirRecordsAreReleased) {
  {
    Journal journal(options());
    replayed(journal, 0);
    for (int i = 1; i <= 500; ++i) {
      journal.append("record " + std::to_string(i));
      if (i > 20) journal.release(static_cast<std::uint64_t>(i - 20));
      EXPECT_LE(journal.bytes_in_use(), 4 * 16 * kPage);
    }
  }
  const auto files = std::distance(std::filesystem::directory_iterator(root_ / "journal"), {});
  EXPECT_LE(files, 4);
  const auto records = reopened(480);
  ASSERT_EQ(20u, records.size());
  EXPECT_EQ("record 481", records.front());
  EXPECT_EQ("record 500", records.back());
}

TEST_F(JournalTest, TakesRecordsLargerThanAFile) {
  const std::string large(100 * kPage, 'x');
  {
    Journal journal(options());
    replayed(journal, 0);
    journal.append("small");
    journal.append(large);
    journal.append("small again");
  }
  EXPECT_EQ((std::vector<std::string>{"small", large, "small again"}), reopened(0));
}

// Past the page cache and through it, in turns and in the same file: large records after small ones, so that memory is
// asked for, given back, and has older bytes where a record ends in zeros.
TEST_F(JournalTest, FilesAreTheSameHoweverTheyAreWritten) {
  std::vector<std::string> written;
  for (const bool past_cache : {true, false, true, false}) {
    auto chosen = options();
    chosen.past_cache = past_cache;
    chosen.segment_bytes = std::size_t{16} << 20;
    Journal journal(chosen);
    EXPECT_EQ(written, replayed(journal, 0));
    for (const std::size_t bytes : {10UL, 3 * kPage, 5UL, 5UL << 20, 20UL, kPage - sizeof(RecordHead)}) {
      journal.append(written.emplace_back(bytes, static_cast<char>('a' + written.size())));
    }
  }
  EXPECT_EQ(written, reopened(0));
  const std::string file_1 = content(file(1));
  EXPECT_EQ(0u, file_1.find_first_not_of('\0', kPage + sizeof(RecordHead) + 10) % kPage) << "zeros to the next page";
}

TEST_F(JournalTest, ATornLastRecordEndsTheLog) {
  fill(5);
  overwrite(1, 5 * kPage + 30, "torn");
  EXPECT_EQ(4u, reopened(0).size());
}

// A crash tears one record; the next one is written only after it.
TEST_F(JournalTest, TwoRecordsAtTheEndThatCannotBeReadAreDamage) {
  fill(5);
  overwrite(1, 4 * kPage + 30, "flip");
  overwrite(1, 5 * kPage + 30, "flip");
  EXPECT_THROW(reopened(0), StoreError);
  EXPECT_EQ(3u, reopened(0, Journal::Damage::salvage).size());
}

TEST_F(JournalTest, AFileThatWasCutIsDamage) {
  fill(5);
  std::filesystem::resize_file(file(1), 4 * kPage);
  EXPECT_THROW(reopened(0), StoreError);
  EXPECT_EQ(3u, reopened(0, Journal::Damage::salvage).size());
}

TEST_F(JournalTest, IsThereOnceItHasAFile) {
  EXPECT_FALSE(Journal::exists(options().folder));
  fill(1);
  EXPECT_TRUE(Journal::exists(options().folder));
  std::filesystem::remove(file(1));
  EXPECT_FALSE(Journal::exists(options().folder));
}

TEST_F(JournalTest, AnAppendAfterATornRecordTakesItsPlace) {
  fill(5);
  overwrite(1, 5 * kPage + 30, "torn");
  {
    Journal journal(options());
    replayed(journal, 0);
    journal.append("another 5");
  }
  EXPECT_EQ("another 5", reopened(0).back());
}

TEST_F(JournalTest, ADamagedRecordBeforeOthersIsRefused) {
  fill(40);
  overwrite(1, 5 * kPage + 30, "rot");
  EXPECT_THROW(reopened(0), StoreError);
  EXPECT_TRUE(reopened(4, Journal::Damage::salvage).empty());
  EXPECT_TRUE(reopened(4).empty());  // and the rest is gone, as asked
}

TEST_F(JournalTest, DamageInWhatIsAppliedHurtsNobody) {
  fill(20);
  overwrite(1, 5 * kPage + 30, "rot");
  EXPECT_EQ(5u, reopened(15).size());
}

TEST_F(JournalTest, AMissingFileIsRefused) {
  fill(40);
  std::filesystem::remove(file(2));
  EXPECT_THROW(reopened(0), StoreError);
}

TEST_F(JournalTest, ADamagedFirstPageIsRefusedAndNothingIsLostIfTheSecretIsKnown) {
  fill(40);
  overwrite(1, 3, "rot");
  overwrite(2, 9, "rot");
  EXPECT_THAT(refusal(0), AllOf(HasSubstr("first page"), HasSubstr("000001.log"), HasSubstr("000002.log"),
                                HasSubstr("every record up to 40 is whole"), HasSubstr("loses nothing")));
  EXPECT_EQ(40u, reopened(0, Journal::Damage::salvage).size());  // by the secret of the third file
  EXPECT_EQ(1, made_durable_);
  EXPECT_TRUE(reopened(40).empty());
}

TEST_F(JournalTest, TheTablesKnowTheSecretIfNoFileSaysIt) {
  fill(5);
  std::uint64_t secret = 0;
  {
    Journal journal(options());
    replayed(journal, 0);
    secret = journal.secret();
  }
  overwrite(1, 0, std::string(kPage, '?'));
  {
    auto knowing = options();
    knowing.secret = secret;
    Journal journal(knowing);
    EXPECT_EQ(5u, replayed(journal, 0, Journal::Damage::salvage).size());
    EXPECT_NE(secret, journal.secret());
    journal.append("record 6");
  }
  EXPECT_EQ((std::vector<std::string>{"record 6"}), reopened(5));
}

TEST_F(JournalTest, WithoutTheSecretNothingCanBeProvenAndThatIsSaid) {
  fill(5);
  overwrite(1, 0, std::string(kPage, '?'));
  EXPECT_THAT(refusal(2), AllOf(HasSubstr("secret"), HasSubstr("after record 2"), HasSubstr("backup")));
  EXPECT_TRUE(reopened(2, Journal::Damage::salvage).empty());
  EXPECT_TRUE(reopened(2).empty());
}

TEST_F(JournalTest, AFileOfAnotherJournalIsRefused) {
  fill(5);
  const auto kept = root_ / "kept.log";
  std::filesystem::rename(file(1), kept);
  std::filesystem::remove_all(options().folder);
  fill(5);
  std::filesystem::rename(kept, file(2));
  EXPECT_THAT(refusal(0), HasSubstr("000002.log is of another journal"));
  EXPECT_EQ(5u, reopened(0, Journal::Damage::salvage).size());
}

TEST_F(JournalTest, WhatIsSalvagedIsDurableBeforeItsFilesGo) {
  fill(40);
  overwrite(1, 5 * kPage + 30, "rot");
  Journal journal(options());
  std::size_t visited = 0;
  journal.replay(
      0, Journal::Damage::salvage, [&](std::string_view) { ++visited; },
      [&] {
        EXPECT_EQ(4u, visited);
        EXPECT_TRUE(std::filesystem::exists(file(1)));
      });
  EXPECT_FALSE(std::filesystem::exists(file(1)));
}

TEST_F(JournalTest, TheNewestFileIsMissedIfSomebodyRemovedIt) {
  fill(40);
  std::filesystem::remove(file(3));
  EXPECT_THAT(refusal(0), AllOf(HasSubstr("000003.log"), HasSubstr("is missing"), HasSubstr("after record 30")));
  EXPECT_EQ(30u, reopened(0, Journal::Damage::salvage).size());
  EXPECT_TRUE(reopened(30).empty());
}

// As a folder of an earlier version: it gets one.
TEST_F(JournalTest, AJournalWhoseFilesKnowOfNoMarkerGetsOne) {
  fill(40);
  std::filesystem::remove(root_ / "journal" / "newest");
  for (int slot = 1; slot <= 4; ++slot) overwrite(slot, 512, std::string(16, '\0'));  // the fourth is a spare
  EXPECT_EQ(40u, reopened(0).size());
  std::filesystem::remove(file(3));
  EXPECT_THAT(refusal(0), HasSubstr("000003.log"));
}

TEST_F(JournalTest, TheNewestFileIsMissedIfTheMarkerIsGoneWithIt) {
  fill(40);
  std::filesystem::remove(root_ / "journal" / "newest");
  std::filesystem::remove(file(3));
  EXPECT_THAT(refusal(0), AllOf(HasSubstr("newest"), HasSubstr("after record 30"), HasSubstr("backup")));
  EXPECT_THAT(refusal(0), HasSubstr("newest")) << "a refused start does not make it good";
  EXPECT_EQ(30u, reopened(0, Journal::Damage::salvage).size());
  EXPECT_TRUE(reopened(30).empty());
}

TEST_F(JournalTest, ANewestFileWithoutItsRecordsIsMissed) {
  fill(40);
  overwrite(3, kPage, std::string(15 * kPage, '\0'));
  EXPECT_THAT(refusal(0), AllOf(HasSubstr("ends with record 30"), HasSubstr("had come to 31")));
}

TEST_F(JournalTest, TheOnlyFileWithoutItsRecordsIsMissed) {
  fill(3);
  overwrite(1, kPage, std::string(15 * kPage, '\0'));
  EXPECT_THAT(refusal(0), HasSubstr("had come to 1"));
}

// The tables have some of the file's records, and had them when it was opened: those after them count.
TEST_F(JournalTest, RecordsThatTheTablesDoNotHaveAreMissedInAFileThatGoesOn) {
  fill(3);
  {
    Journal journal(options());
    EXPECT_TRUE(replayed(journal, 3).empty());
    journal.append("record 4");
    journal.append("record 5");
    journal.release(4);
    journal.append("record 6");
  }
  overwrite(1, kPage, std::string(15 * kPage, '\0'));
  EXPECT_THAT(refusal(3), HasSubstr("had come to 6"));
  EXPECT_THAT(refusal(5), HasSubstr("had come to 6"));
  EXPECT_EQ(refusal(6), "opened");
}

TEST_F(JournalTest, TheMarkerIsWrittenOnceInAFileAndAfterARelease) {
  Journal journal(options());
  replayed(journal, 0);
  const std::uint64_t before = read_marker(options().folder)->sequence;
  for (int i = 1; i <= 14; ++i) journal.append("record");
  EXPECT_EQ(before + 1, read_marker(options().folder)->sequence);
  journal.release(14);
  journal.append("record");
  EXPECT_EQ(before + 2, read_marker(options().folder)->sequence);
  for (int i = 0; i < 10; ++i) journal.append("record");
  EXPECT_EQ(before + 3, read_marker(options().folder)->sequence) << "the log went on in another file";
}

TEST_F(JournalTest, AMarkerThatIsTornLeavesTheOneBeforeIt) {
  fill(40);
  {
    JournalMarker marker(options().folder);
    ASSERT_EQ(3, marker.latest()->slot);
    marker.write(4, 41);
  }
  std::fstream stream(root_ / "journal" / "newest", std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(read_marker(options().folder)->sequence % 2 * kPage + 16));
  stream << "torn";
  stream.close();
  EXPECT_EQ(3, read_marker(options().folder)->slot);
  EXPECT_EQ(40u, reopened(0).size());
}

// Records need not have reached the disk, so nothing may say that they had.
TEST_F(JournalTest, WithoutSyncTheMarkerStaysBehind) {
  fill(40, Sync::off);
  EXPECT_EQ(1, read_marker(options().folder)->slot);
}

TEST_F(JournalTest, AnUnfinishedFileIsForgotten) {
  fill(2);
  std::ofstream(file(9).string() + ".new") << "half";
  EXPECT_EQ(2u, reopened(0).size());
  EXPECT_FALSE(std::filesystem::exists(file(9).string() + ".new"));
}

// Histories of appends, releases and crashes, some of them in the middle of a record.
TEST_F(JournalTest, EveryAcknowledgedRecordComesBackWhateverHappens) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    std::filesystem::remove_all(root_ / "journal");
    std::mt19937 chance(seed);
    std::uint64_t last = 0;
    std::uint64_t applied = 0;
    for (int life = 0; life < 10; ++life) {
      Journal journal(options());
      const auto records = replayed(journal, applied);
      ASSERT_EQ(last - applied, records.size()) << "seed " << seed;
      for (std::size_t i = 0; i < records.size(); ++i) {
        ASSERT_TRUE(records[i].starts_with(std::to_string(applied + i + 1) + ":")) << "seed " << seed;
      }
      for (unsigned i = chance() % 40; i > 0; --i) {
        journal.append(std::to_string(++last) + ":" + std::string(chance() % (6 * kPage), 'r'));
        if (chance() % 3 == 0) journal.release(applied = applied + chance() % (last - applied + 1));
      }
    }
  }
}

}  // namespace
}  // namespace millrace::store::rocks
