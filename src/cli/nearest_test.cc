#include "cli/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace millrace::cli {
namespace {

const std::vector<std::string> kWords = {"serve", "queue", "keys", "tenants", "doctor", "complete", "claim"};

TEST(Nearest, FindsWhatWasMeant) {
  EXPECT_EQ(nearest("quue", kWords), "queue");
  EXPECT_EQ(nearest("queeu", kWords), "queue");
  EXPECT_EQ(nearest("docter", kWords), "doctor");
  EXPECT_EQ(nearest("key", kWords), "keys");
}

TEST(Nearest, TakesABeginning) { EXPECT_EQ(nearest("comp", kWords), "complete"); }

TEST(Nearest, SuggestsNothingFarAway) {
  EXPECT_EQ(nearest("frobnicate", kWords), std::nullopt);
  EXPECT_EQ(nearest("x", kWords), std::nullopt);
  EXPECT_EQ(nearest("", kWords), std::nullopt);
  EXPECT_EQ(nearest(std::string(100'000, 'q'), kWords), std::nullopt);
}

TEST(Distance, CountsASwapAsOneStep) {
  EXPECT_EQ(distance("ab", "ba"), 1u);
  EXPECT_EQ(distance("kitten", "sitting"), 3u);
  EXPECT_EQ(distance("", "abc"), 3u);
}

}  // namespace
}  // namespace millrace::cli
