#include "app/schema_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace millrace::app {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class Folder : public testing::Test {
 public:
  ~Folder() override { fs::remove_all(path_); }

 protected:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "millrace-folder-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  FolderState look() const { return look_at_folder(path_.string()); }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  fs::path path_;
};

TEST_F(Folder, IsAnotherOneAfterEveryChangeOfASchema) {  // S2.4
  const FolderState empty = look();
  put("order.made.v1.json", "{}");
  const FolderState first = look();
  EXPECT_NE(first, empty);
  EXPECT_EQ(look(), first);
  put("events/order.sent.v1.json", "{}");
  const FolderState second = look();
  EXPECT_NE(second, first);
  put("order.made.v1.json", "{ }");
  const FolderState third = look();
  EXPECT_NE(third, second);
  fs::remove(path_ / "order.made.v1.json");
  EXPECT_NE(look(), third);
}

TEST_F(Folder, IsTheSameWhateverHappensToOtherFiles) {
  put("order.made.v1.json", "{}");
  const FolderState before = look();
  put("README.md", "about them");
  EXPECT_EQ(look(), before);
}

TEST_F(Folder, ThatIsGoneIsEmpty) {
  put("order.made.v1.json", "{}");
  fs::remove_all(path_);
  EXPECT_TRUE(look().empty());
}

TEST(RefusedFiles, AreTheFieldsOfTheProblem) {
  EXPECT_THAT(refused_files(R"({"errors":[{"field":"a.v1.json","message":"breaks"},{"field":7},{}]})"),
              ElementsAre(registry::FileProblem{"a.v1.json", "breaks"}));
  for (const char* other : {"", "no json", "{}", R"({"errors":{}})", "[]"}) EXPECT_TRUE(refused_files(other).empty());
}

}  // namespace
}  // namespace millrace::app
