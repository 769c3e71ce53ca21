// Keys and tenants on a store without a server, with the embedded engine in a folder of its own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "cli/answer.h"
#include "cli/api.h"
#include "cli/fake_session.h"
#include "store/rocksdb/rocksdb_store.h"

namespace millrace::cli {
namespace {

class LocalApiTest : public testing::Test {
 public:
  LocalApiTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "millrace-cli-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~LocalApiTest() override { std::filesystem::remove_all(root_); }

 protected:
  int run(std::vector<std::string> args) {
    args.insert(args.end(), {"--data", data()});
    std::ostringstream().swap(out_);
    std::ostringstream().swap(err_);
    Session session{.in = in_,
                    .out = out_,
                    .err = err_,
                    .out_terminal = {},
                    .err_terminal = {},
                    .environment = [](const char*) -> const char* { return nullptr; },
                    .connect = connect,
                    .pause = {}};
    return cli::run(args, session);
  }
  std::string data() const { return (root_ / "data").string(); }

  std::filesystem::path root_;
  std::istringstream in_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(LocalApiTest, AKeyIsThereForTheNextProcess) {
  ASSERT_EQ(run({"keys", "create", "--tenant", "acme", "--scopes", "admin", "--name", "first"}), 0) << err_.str();
  const std::string key = out_.str();
  EXPECT_TRUE(key.starts_with("mr_")) << key;
  const std::string id = key.substr(3, key.find('_', 3) - 3);
  ASSERT_EQ(run({"keys", "list", "--tenant", "acme", "--json"}), 0) << err_.str();
  EXPECT_NE(out_.str().find(id), std::string::npos);
  EXPECT_EQ(out_.str().find(key.substr(key.find('_', 3) + 1, 20)), std::string::npos) << "the secret is shown once";
  ASSERT_EQ(run({"keys", "revoke", id}), 0) << err_.str();
  ASSERT_EQ(run({"keys", "list", "--tenant", "acme", "--json"}), 0);
  EXPECT_EQ(out_.str().find("\"revoked\":null"), std::string::npos);
}

TEST_F(LocalApiTest, TenantsAreRegisteredOnce) {
  ASSERT_EQ(run({"tenants", "create", "acme"}), 0) << err_.str();
  EXPECT_EQ(run({"tenants", "create", "acme"}), 1);
  EXPECT_EQ(run({"tenants", "show", "acme"}), 0);
  EXPECT_EQ(run({"tenants", "show", "other"}), 1);
  EXPECT_EQ(run({"tenants", "create", "No Name"}), 1);
  ASSERT_EQ(run({"tenants", "list"}), 0);
  EXPECT_NE(out_.str().find("acme"), std::string::npos);
}

TEST_F(LocalApiTest, OnlyCreatingMakesAFolder) {
  EXPECT_EQ(run({"keys", "list"}), 3);
  EXPECT_FALSE(std::filesystem::exists(data()));
}

TEST_F(LocalApiTest, AStoreInUseIsLeftToItsServer) {
  const auto store = store::open_rocksdb({.path = data()});
  EXPECT_EQ(run({"keys", "create", "--scopes", "admin"}), 3);
  EXPECT_NE(err_.str().find("--server"), std::string::npos) << err_.str();
}

TEST_F(LocalApiTest, ATenantWithoutANameIsWrongUsage) {
  EXPECT_EQ(run({"keys", "create", "--scopes", "admin", "--tenant", "Not A Name"}), 2);
  EXPECT_FALSE(std::filesystem::exists(data()));
}

TEST_F(LocalApiTest, DoctorLooksAtAFolderInUse) {
  const auto store = store::open_rocksdb({.path = data()});
  EXPECT_EQ(run({"doctor"}), 0) << out_.str();
  EXPECT_NE(out_.str().find("can be used"), std::string::npos) << out_.str();
}

TEST_F(LocalApiTest, DoctorFailsOnAFileInPlaceOfTheFolder) {
  {
    std::ofstream file(data());
  }
  EXPECT_EQ(run({"doctor", "--json"}), 1);
  EXPECT_NE(out_.str().find(R"("verdict":"fail")"), std::string::npos) << out_.str();
}

TEST_F(LocalApiTest, DoctorWarnsOfAFolderOpenToOthers) {
  std::filesystem::create_directory(data());
  std::filesystem::permissions(data(), std::filesystem::perms{0755});
  EXPECT_EQ(run({"doctor"}), 0);
  EXPECT_NE(out_.str().find("chmod 700"), std::string::npos) << out_.str();
}

}  // namespace
}  // namespace millrace::cli
