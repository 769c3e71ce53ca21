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
 protected:
  LocalApiTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "millrace-cli-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~LocalApiTest() override { std::filesystem::remove_all(root_); }

  int run(std::vector<std::string> args) {
    args.insert(args.end(), {"--data", data()});
    std::ostringstream().swap(out);
    std::ostringstream().swap(err);
    Session session{.in = in,
                    .out = out,
                    .err = err,
                    .out_terminal = {},
                    .err_terminal = {},
                    .environment = [](const char*) -> const char* { return nullptr; },
                    .connect = connect,
                    .pause = {}};
    return cli::run(args, session);
  }
  std::string data() const { return (root_ / "data").string(); }

  std::filesystem::path root_;
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
};

TEST_F(LocalApiTest, AKeyIsThereForTheNextProcess) {
  ASSERT_EQ(run({"keys", "create", "--tenant", "acme", "--scopes", "admin", "--name", "first"}), 0) << err.str();
  const std::string key = out.str();
  EXPECT_TRUE(key.starts_with("mr_")) << key;
  const std::string id = key.substr(3, key.find('_', 3) - 3);
  ASSERT_EQ(run({"keys", "list", "--tenant", "acme", "--json"}), 0) << err.str();
  EXPECT_NE(out.str().find(id), std::string::npos);
  EXPECT_EQ(out.str().find(key.substr(key.find('_', 3) + 1, 20)), std::string::npos) << "the secret is shown once";
  ASSERT_EQ(run({"keys", "revoke", id}), 0) << err.str();
  ASSERT_EQ(run({"keys", "list", "--tenant", "acme", "--json"}), 0);
  EXPECT_EQ(out.str().find("\"revoked\":null"), std::string::npos);
}

TEST_F(LocalApiTest, TenantsAreRegisteredOnce) {
  ASSERT_EQ(run({"tenants", "create", "acme"}), 0) << err.str();
  EXPECT_EQ(run({"tenants", "create", "acme"}), 1);
  EXPECT_EQ(run({"tenants", "show", "acme"}), 0);
  EXPECT_EQ(run({"tenants", "show", "other"}), 1);
  EXPECT_EQ(run({"tenants", "create", "No Name"}), 1);
  ASSERT_EQ(run({"tenants", "list"}), 0);
  EXPECT_NE(out.str().find("acme"), std::string::npos);
}

TEST_F(LocalApiTest, OnlyCreatingMakesAFolder) {
  EXPECT_EQ(run({"keys", "list"}), 3);
  EXPECT_FALSE(std::filesystem::exists(data()));
}

TEST_F(LocalApiTest, AStoreInUseIsLeftToItsServer) {
  const auto store = store::open_rocksdb({.path = data()});
  EXPECT_EQ(run({"keys", "create", "--scopes", "admin"}), 3);
  EXPECT_NE(err.str().find("--server"), std::string::npos) << err.str();
}

TEST_F(LocalApiTest, ATenantWithoutANameIsWrongUsage) {
  EXPECT_EQ(run({"keys", "create", "--scopes", "admin", "--tenant", "Not A Name"}), 2);
  EXPECT_FALSE(std::filesystem::exists(data()));
}

TEST_F(LocalApiTest, DoctorLooksAtAFolderInUse) {
  const auto store = store::open_rocksdb({.path = data()});
  EXPECT_EQ(run({"doctor"}), 0) << out.str();
  EXPECT_NE(out.str().find("can be used"), std::string::npos) << out.str();
}

TEST_F(LocalApiTest, DoctorFailsOnAFileInPlaceOfTheFolder) {
  {
    std::ofstream file(data());
  }
  EXPECT_EQ(run({"doctor", "--json"}), 1);
  EXPECT_NE(out.str().find(R"("verdict":"fail")"), std::string::npos) << out.str();
}

TEST_F(LocalApiTest, DoctorWarnsOfAFolderOpenToOthers) {
  std::filesystem::create_directory(data());
  std::filesystem::permissions(data(), std::filesystem::perms{0755});
  EXPECT_EQ(run({"doctor"}), 0);
  EXPECT_NE(out.str().find("chmod 700"), std::string::npos) << out.str();
}

}  // namespace
}  // namespace millrace::cli
