// The stores that the conformance suite runs on. The suite is the definition of store::Store: a new
// store is registered here and has to pass it unchanged.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

namespace millrace::store::conformance {

// One store with its own, at first empty, data; both go with this object.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;
  // Open, and not yet acquired after make() and restart(). The reference ends with a restart.
  virtual Store& store() = 0;
  // Closes the store and opens it again on the same data.
  virtual void restart() = 0;
};

struct StoreCase {
  std::string name;  // letters and digits, part of the test's name
  std::function<std::unique_ptr<StoreUnderTest>()> make;
};

StoreCase memory_case();
StoreCase rocksdb_case();
// Defined in postgres_case.cc. nullopt: no server to test with, and the suite says so.
std::optional<StoreCase> postgres_case();

std::vector<StoreCase> all_store_cases();

}  // namespace millrace::store::conformance
