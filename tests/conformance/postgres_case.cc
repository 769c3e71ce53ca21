// The PostgreSQL store for the conformance suite: a database of its own a test, on one real server.
#include "conformance/store_cases.h"
#include "postgres/test_cluster.h"
#include "store/postgres/postgres_store.h"

namespace millrace::store::conformance {
namespace {

class PostgresUnderTest final : public StoreUnderTest {
 public:
  explicit PostgresUnderTest(test::TestCluster& cluster) : url_(cluster.create_database()) { restart(); }

  Store& store() override { return *store_; }
  void restart() override {
    store_.reset();
    store_ = open_postgres({.url = url_, .node_id = "conformance"});
  }

 private:
  std::string url_;
  std::unique_ptr<Store> store_;
};

}  // namespace

std::optional<StoreCase> postgres_case() {
  test::TestCluster* cluster = test::TestCluster::shared();
  if (cluster == nullptr) return std::nullopt;
  return StoreCase{.name = "postgres", .make = [cluster] { return std::make_unique<PostgresUnderTest>(*cluster); }};
}

}  // namespace millrace::store::conformance
