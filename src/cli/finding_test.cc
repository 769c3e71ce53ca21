#include "cli/finding.h"

#include <gtest/gtest.h>

namespace millrace::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
const Time kNow = *parse_time("2026-01-15T12:00:00Z");

TEST(Descriptors, AreJudgedByTheLimitTheServerCanReach) {
  EXPECT_EQ(judge_descriptors(1024, 1'048'576).verdict, Verdict::ok);
  EXPECT_EQ(judge_descriptors(1024, 4096).verdict, Verdict::warn);
  EXPECT_EQ(judge_descriptors(256, 256).verdict, Verdict::fail);
  EXPECT_FALSE(judge_descriptors(256, 256).fix.empty());
}

TEST(ClockCheck, NoticesAClockThatWasNeverSet) {
  EXPECT_EQ(judge_clock(kNow).verdict, Verdict::ok);
  EXPECT_EQ(judge_clock(*parse_time("1970-01-01T00:00:10Z")).verdict, Verdict::fail);
}

TEST(ClockSkew, AllowsForTheCutSecondsAndTheWayThere) {
  EXPECT_EQ(judge_clock_skew(kNow, kNow, kNow + 10ms).verdict, Verdict::ok);
  EXPECT_EQ(judge_clock_skew(kNow, kNow + 999ms, kNow + 1010ms).verdict, Verdict::ok);
  EXPECT_EQ(judge_clock_skew(kNow, kNow, kNow + 20s).verdict, Verdict::ok);
}

TEST(ClockSkew, SaysWhichClockIsBehind) {
  EXPECT_NE(judge_clock_skew(kNow - 60s, kNow, kNow).what.find("behind"), std::string::npos);
  EXPECT_NE(judge_clock_skew(kNow + 60s, kNow, kNow).what.find("ahead"), std::string::npos);
  EXPECT_EQ(judge_clock_skew(kNow + 60s, kNow, kNow).verdict, Verdict::warn);
}

TEST(Disk, WarnsBeforeItFails) {
  EXPECT_EQ(judge_disk("d", 50 * kGiB, 100 * kGiB).verdict, Verdict::ok);
  EXPECT_EQ(judge_disk("d", 4 * kGiB, 100 * kGiB).verdict, Verdict::warn);
  EXPECT_EQ(judge_disk("d", kGiB / 2, 2 * kGiB).verdict, Verdict::warn);
  EXPECT_EQ(judge_disk("d", kGiB / 8, 2 * kGiB).verdict, Verdict::fail);
}

TEST(Certificate, IsToBeRenewedInTime) {
  EXPECT_EQ(judge_validity(kNow, kNow + std::chrono::days(90), kNow).verdict, Verdict::ok);
  EXPECT_EQ(judge_validity(kNow, kNow + std::chrono::days(5), kNow).verdict, Verdict::warn);
  EXPECT_EQ(judge_validity(kNow - 24h, kNow, kNow).verdict, Verdict::fail);
}

TEST(Certificate, IsNoGoodBeforeItsTime) {
  const Finding finding = judge_validity(kNow + 1s, kNow + std::chrono::days(90), kNow);
  EXPECT_EQ(finding.verdict, Verdict::fail);
  EXPECT_NE(finding.what.find("not valid before 2026-01-15T12:00:01"), std::string::npos) << finding.what;
}

TEST(HttpDate, IsRead) {
  EXPECT_EQ(parse_http_date("Thu, 15 Jan 2026 12:00:00 GMT"), kNow);
  EXPECT_EQ(parse_http_date("2026-01-15T12:00:00Z"), std::nullopt);
  EXPECT_EQ(parse_http_date(""), std::nullopt);
}

}  // namespace
}  // namespace millrace::cli
