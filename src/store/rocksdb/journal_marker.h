// Says which file of the journal is the newest and how far the log had come in it, in a file beside them: one that
// somebody removed or emptied would leave a log that merely ends earlier. Written after the first record of a file and
// after the first that the tables do not have, so once in megabytes; two pages take turns, and a write that is torn
// leaves the other. The files know that there is a marker, so that it is missed as well. One thread at a time.
#pragma once

#include <optional>
#include <string>

#include "store/rocksdb/journal_format.h"

namespace millrace::store::rocks {

class JournalMarker {
 public:
  // Opens the marker of a journal's folder, or makes one that says nothing yet. Throws StoreError, as write() does.
  explicit JournalMarker(const std::string& folder);
  ~JournalMarker();
  JournalMarker(const JournalMarker&) = delete;

  // Nullopt: it says nothing, as in folders of earlier versions.
  const std::optional<Begun>& latest() const { return latest_; }
  // Durable when it returns: the log goes on in this file with the record `first`, and all before it are on disk.
  void write(int slot, std::uint64_t first);

 private:
  std::string path_;
  int file_ = -1;
  std::optional<Begun> latest_;
};

// What the marker of a folder says; nullopt also where there is none. Throws StoreError.
std::optional<Begun> read_marker(const std::string& folder);

}  // namespace millrace::store::rocks
