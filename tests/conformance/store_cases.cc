#include "conformance/store_cases.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "store/memory/memory_store.h"
#include "store/rocksdb/rocksdb_store.h"

namespace millrace::store::conformance {
namespace {

class MemoryUnderTest final : public StoreUnderTest {
 public:
  Store& store() override { return *store_; }
  void restart() override { store_ = std::make_unique<MemoryStore>(disk_); }

 private:
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>();
  std::unique_ptr<MemoryStore> store_ = std::make_unique<MemoryStore>(disk_);
};

std::string make_temporary_folder() {
  auto pattern = (std::filesystem::temp_directory_path() / "millrace-conformance-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  return pattern;
}

class RocksUnderTest final : public StoreUnderTest {
 public:
  RocksUnderTest() { restart(); }
  ~RocksUnderTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  Store& store() override { return *store_; }
  void restart() override {
    store_.reset();
    // Not synced: the suite asks what a store means, rocksdb_store_test what survives.
    store_ = open_rocksdb({.path = folder_, .sync = false, .block_cache_bytes = 8 << 20});
  }

 private:
  std::string folder_ = make_temporary_folder();
  std::unique_ptr<Store> store_;
};

}  // namespace

StoreCase memory_case() {
  return {"memory", [] { return std::make_unique<MemoryUnderTest>(); }};
}

StoreCase rocksdb_case() {
  return {"rocksdb", [] { return std::make_unique<RocksUnderTest>(); }};
}

#ifndef MILLRACE_POSTGRES_CASE
std::optional<StoreCase> postgres_case() { return std::nullopt; }
#endif

std::vector<StoreCase> all_store_cases() {
  std::vector<StoreCase> cases = {memory_case(), rocksdb_case()};
  if (auto postgres = postgres_case()) cases.push_back(std::move(*postgres));
  return cases;
}

}  // namespace millrace::store::conformance
