#include "cli/where.h"

#include <gtest/gtest.h>

#include <map>

#include "cli/failure.h"

namespace millrace::cli {
namespace {

Environment with(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

TEST(Where, IsTheLocalServerUnlessTold) {
  const Place place = resolve({}, with({}));
  EXPECT_EQ(place.server, "http://127.0.0.1:8080");
  EXPECT_EQ(place.key, "");
  EXPECT_FALSE(place.local());
}

TEST(Where, TakesTheEnvironmentAndThenTheCommandLine) {
  const Environment environment = with({{"MILLRACE_SERVER", "http://a:1"}, {"MILLRACE_KEY", "mr_a_b"}});
  EXPECT_EQ(resolve({}, environment).server, "http://a:1");
  EXPECT_EQ(resolve({}, environment).key, "mr_a_b");
  Where where;
  where.server = "http://b:2";
  where.key = "mr_c_d";
  EXPECT_EQ(resolve(where, environment).server, "http://b:2");
  EXPECT_EQ(resolve(where, environment).key, "mr_c_d");
}

TEST(Where, ANamedStoreWinsOverTheServerOfTheEnvironment) {
  Where where;
  where.data = "./data";
  const Place place = resolve(where, with({{"MILLRACE_SERVER", "http://a:1"}}));
  EXPECT_TRUE(place.local());
  EXPECT_EQ(place.server, "");
}

TEST(Where, NamesOnePlaceOnly) {
  Where where;
  where.data = "./data";
  where.store = "postgres://db";
  EXPECT_THROW(resolve(where, with({})), Failure);
  where.store.reset();
  where.server = "http://a:1";
  EXPECT_THROW(resolve(where, with({})), Failure);
}

TEST(Where, AnEmptyFolderIsNone) {
  Where where;
  where.data = "";
  EXPECT_THROW(resolve(where, with({})), Failure);
}

}  // namespace
}  // namespace millrace::cli
