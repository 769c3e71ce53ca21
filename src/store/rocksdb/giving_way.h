// Flushing and merging table files give way to those who wait for an answer, and still get on: what is not merged in
// time stops writes in the end (docs/adr/0020). Called by RocksDB's threads.
#pragma once

#include <rocksdb/listener.h>
#include <rocksdb/table_properties.h>

#include <chrono>
#include <cstdint>

namespace millrace::store::rocks {

// Merges have a smaller share of the processor than callers.
class MergePriority final : public rocksdb::EventListener {
 public:
  void OnCompactionBegin(rocksdb::DB* database, const rocksdb::CompactionJobInfo& merge) override;
};

// Told of each block of a table file that is written, it lets other threads run every now and then. Collects nothing.
class GivingWay final : public rocksdb::TablePropertiesCollector {
 public:
  void BlockAdd(std::uint64_t bytes, std::uint64_t fast, std::uint64_t slow) override;
  rocksdb::Status AddUserKey(const rocksdb::Slice& /*key*/, const rocksdb::Slice& /*value*/,
                             rocksdb::EntryType /*type*/, rocksdb::SequenceNumber /*number*/,
                             std::uint64_t /*file_size*/) override {
    return rocksdb::Status::OK();
  }
  rocksdb::Status Finish(rocksdb::UserCollectedProperties* /*properties*/) override { return rocksdb::Status::OK(); }
  rocksdb::UserCollectedProperties GetReadableProperties() const override { return {}; }
  const char* Name() const override { return "GivingWay"; }

 private:
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

class GivingWayFactory final : public rocksdb::TablePropertiesCollectorFactory {
 public:
  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(Context /*context*/) override {
    return new GivingWay;
  }
  const char* Name() const override { return "GivingWay"; }
};

}  // namespace millrace::store::rocks
