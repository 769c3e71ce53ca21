#include "api/key_watch.h"

#include <gtest/gtest.h>

#include <memory>

namespace millrace::api {
namespace {

TEST(KeyWatch, IsToldOfItsOwnKeyAlone) {
  KeyWatchers watchers;
  int mine = 0;
  int other = 0;
  const KeyWatch first(watchers, "a", [&] { ++mine; });
  const KeyWatch second(watchers, "a", [&] { ++mine; });
  const KeyWatch third(watchers, "b", [&] { ++other; });
  watchers.tell("a");
  watchers.tell("c");
  EXPECT_EQ(mine, 2);
  EXPECT_EQ(other, 0);
}

TEST(KeyWatch, IsNotToldOnceItHasEnded) {
  KeyWatchers watchers;
  int told = 0;
  auto ended = std::make_unique<KeyWatch>(watchers, "a", [&] { ++told; });
  const KeyWatch going_on(watchers, "a", [&] { told += 10; });
  ended.reset();
  watchers.tell("a");
  EXPECT_EQ(told, 10);
}

TEST(KeyWatch, OfACallerWithoutAKeyIsNeverTold) {
  KeyWatchers watchers;
  int told = 0;
  const KeyWatch watch(watchers, "", [&] { ++told; });
  watchers.tell("");
  EXPECT_EQ(told, 0);
}

}  // namespace
}  // namespace millrace::api
