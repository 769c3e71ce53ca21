// The write-ahead log of the embedded store. RocksDB's own grows a file with every commit, and on most file
// systems a sync of a file that grew waits for their journal as well; this one overwrites files that are
// already whole on disk, so that a sync moves the record's bytes and nothing else (docs/adr/0009).
//
// A record has a number, one more than the record before it, and a hash over number and bytes. It starts at
// a page of its own, so a torn write never touches an earlier record. Files are used again once all
// their records are in the tables; old records are told from new ones by their numbers. The hash is seeded
// with a secret of the folder: bytes that a client sends can't be made to look like a record.
//
// One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/rocksdb/direct_writes.h"
#include "store/rocksdb/journal_marker.h"
#include "store/rocksdb/journal_reading.h"

namespace millrace::store::rocks {

inline constexpr std::size_t kSegmentBytes = std::size_t{8} << 20;

struct JournalOptions {
  std::string folder;
  bool sync = true;  // each record; files are always made durably
  // Records that are synced: where the file system takes it. Files are the same either way.
  bool past_cache = true;
  // Large enough that a change of files is rare, small enough that a new folder is made at once.
  std::size_t segment_bytes = kSegmentBytes;
  // As the tables know it: proves the records of a file whose first page is damaged.
  std::optional<std::uint64_t> secret = {};
};

class Journal {
 public:
  enum class Damage { refuse, salvage };

  // Whether there is a file of it.
  static bool exists(const std::string& folder);

  // Opens the folder or makes it. Throws StoreError, as every other call.
  explicit Journal(JournalOptions options);
  ~Journal();
  Journal(const Journal&) = delete;

  // Hands out the records above `applied`, oldest first. A last record that is not whole was never acknowledged
  // and ends the log. A record that is missing or damaged while later ones are there, readable or not, a file that was
  // cut, is gone or has a damaged first page is Fate::broken; with `salvage` everything that can be proven whole up to
  // the damage is handed out, and the log says what is lost. Where the files can't be gone on with, `make_durable` is
  // called before they are removed. REQUIRES: called once, before append().
  void replay(std::uint64_t applied, Damage damage, const VisitRecord& visit,
              const std::function<void()>& make_durable);

  std::uint64_t secret() const { return secret_; }
  // The number that the next record gets.
  std::uint64_t next() const { return last_ + 1; }
  // Durable when it returns. A failure is final.
  void append(std::string_view record);

  // Records up to this number are in the tables: their files may be written over.
  void release(std::uint64_t through);
  // Of the files that hold records which are not released.
  std::size_t bytes_in_use() const;

 private:
  struct Segment : JournalFile {
    int direct = -1;          // for writes past the page cache; -1: there are none
    std::size_t end = kPage;  // where the next record would start
    std::uint64_t last = 0;   // the highest number in it; 0 = none
  };

  Segment made(int slot, std::size_t bytes) const;
  Segment writable(JournalFile file) const;
  static void close(const Segment& segment);
  void put(const Segment& segment, std::span<const std::string_view> parts);
  void start_anew(std::uint64_t secret);
  Segment& with_room(std::size_t bytes);
  void prepare_spare();
  void go_on_in(Segment& segment);
  void mark(const Segment& segment);

  JournalOptions options_;
  std::uint64_t secret_ = 0;
  bool past_cache_ = false;
  std::vector<Segment> segments_;
  std::optional<JournalMarker> marker_;
  std::size_t active_ = 0;  // index of the segment that is written
  std::uint64_t last_ = 0;
  std::uint64_t released_ = 0;
  std::future<Segment> spare_;  // made in advance, so that no commit waits for it
  int next_slot_ = 1;
  Pages pages_;
};

}  // namespace millrace::store::rocks
