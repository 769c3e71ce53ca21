// Reads the files of a journal and judges them: which records are whole, where the log ends, and what is missing.
// Changes nothing: a start replays what it finds (journal.h), the doctor only looks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/rocksdb/journal_files.h"

namespace millrace::store::rocks {

struct JournalQuestion {
  std::uint64_t applied = 0;                 // records up to this one are in the tables
  std::optional<std::uint64_t> secret = {};  // as the tables know it, for files whose first page is damaged
  std::optional<Begun> newest = {};          // as the marker says
  std::size_t segment_bytes = 0;             // no file is smaller
};

struct JournalAnswer {
  struct Filling {
    std::size_t end = kPage;  // where the next record would start
    std::uint64_t last = 0;   // the highest number in it; 0 = none
  };
  std::vector<Filling> files;  // in the order they were given
  std::size_t active = 0;      // the file in which the log ends
  std::uint64_t walked = 0;    // the last record that was read; 0 = none
  std::uint64_t last = 0;      // the end of the log: walked, or `applied` if that is higher
  // What is wrong with the files, a clause each; empty = nothing.
  std::vector<std::string> damage;
  // Whether records after `last` were acknowledged, as far as can be known.
  enum class Loss { none, some } loss = Loss::none;
  std::uint64_t seen = 0;  // the highest number of any record that is still to be read, or was once begun
  bool torn = false;       // a record after the last is not whole, and nobody was told about it
};

using VisitRecord = std::function<void(std::string_view record)>;
// Bytes that were read so far, of all.
using ReadProgress = std::function<void(std::uint64_t done, std::uint64_t all)>;

// The secret that the records of these files are hashed with; nullopt if none of them says it, nor the tables.
std::optional<std::uint64_t> choose_secret(std::span<const JournalFile> files, std::optional<std::uint64_t> known);

// Hands out the records above `applied`, oldest first, as far as they follow each other. Throws StoreError where a file
// cannot be read.
JournalAnswer read_journal(std::span<const JournalFile> files, const JournalQuestion& question,
                           const VisitRecord& visit, const ReadProgress& progress = {});

// What to say about damage: the clauses, and what salvaging would lose.
std::string damage_text(const std::string& folder, const JournalAnswer& answer);

}  // namespace millrace::store::rocks
