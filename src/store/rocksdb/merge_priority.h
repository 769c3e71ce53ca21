// Merging table files gives way to those who wait for an answer, and still gets on: what is not merged in time stops
// writes in the end. Called by RocksDB's threads.
#pragma once

#include <rocksdb/listener.h>

namespace millrace::store::rocks {

class MergePriority final : public rocksdb::EventListener {
 public:
  void OnCompactionBegin(rocksdb::DB* database, const rocksdb::CompactionJobInfo& merge) override;
};

}  // namespace millrace::store::rocks
