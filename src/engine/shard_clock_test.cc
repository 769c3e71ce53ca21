#include "engine/shard_clock.h"

#include <gtest/gtest.h>

namespace millrace::engine {
namespace {

using namespace std::chrono_literals;

constexpr Time kStart{Millis(1'700'000'000'000)};

// A clock that can be set back, as ManualClock can't.
class SetClock final : public Clock {
 public:
  Time now() const override { return now_; }
  void set(Time now) { now_ = now; }
  void advance(Millis by) { now_ += by; }

 private:
  Time now_ = kStart;
};

// Time that passes while the clock is asked now and then, as the engine does.
Time pass(SetClock& wall, ShardClock& clock, std::chrono::seconds time) {
  for (std::chrono::seconds second{0}; second < time; ++second) {
    wall.advance(1s);
    clock.now();
  }
  return clock.now();
}

TEST(ShardClockTest, IsTheWallClockWhereThatNeverWentBack) {
  SetClock wall;
  ShardClock clock(wall);
  EXPECT_EQ(clock.now(), kStart);
  EXPECT_EQ(clock.now(), kStart);
  wall.advance(24h);
  EXPECT_EQ(clock.now(), kStart + 24h);
  EXPECT_EQ(clock.ahead(), 0ms);
}

TEST(ShardClockTest, GoesOnWhenTheWallClockIsSetBack) {
  SetClock wall;
  ShardClock clock(wall);
  clock.now();
  wall.set(kStart - 24h);
  EXPECT_EQ(clock.now(), kStart);
  EXPECT_EQ(clock.ahead(), 24h);
  EXPECT_EQ(pass(wall, clock, 32s), kStart + 30s);  // a sixteenth slower
}

TEST(ShardClockTest, ComesDownToTheWallClock) {
  SetClock wall;
  ShardClock clock(wall);
  clock.now();
  wall.set(kStart - 60s);
  Time last = clock.now();
  for (int second = 0; second < 16 * 60; ++second) {
    wall.advance(1s);
    const Time now = clock.now();
    EXPECT_GE(now, last + 900ms);
    last = now;
  }
  EXPECT_EQ(clock.ahead(), 0ms);
  EXPECT_EQ(clock.now(), wall.now());
}

TEST(ShardClockTest, DoesNotRunAheadOfAClockThatIsPutRight) {
  SetClock wall;
  ShardClock clock(wall);
  clock.now();
  wall.set(kStart - 1h);
  const Time before = pass(wall, clock, 60s);
  wall.advance(1h);
  EXPECT_GE(clock.now(), before);
  EXPECT_LE(clock.now(), wall.now() + 5s);
  EXPECT_LE(clock.ahead(), 5s);
}

TEST(ShardClockTest, AskedEveryMillisecondItStillComesDown) {
  SetClock wall;
  ShardClock clock(wall);
  clock.resume_after(kStart + 100ms);
  EXPECT_EQ(clock.now(), kStart + 100ms);
  Time last = clock.now();
  for (int ms = 0; ms < 1600; ++ms) {
    wall.advance(1ms);
    const Time now = clock.now();
    EXPECT_GE(now, last);
    last = now;
  }
  EXPECT_EQ(clock.ahead(), 0ms);
}

TEST(ShardClockTest, SaysWhatItWillBeAtATimeOfTheWall) {
  SetClock wall;
  ShardClock clock(wall);
  clock.resume_after(kStart + 60s);
  clock.now();
  EXPECT_EQ(clock.at(kStart - 1s), kStart - 1s);  // over
  EXPECT_EQ(clock.at(kStart + 32s), kStart + 90s);
  EXPECT_EQ(clock.at(kStart + 1h), kStart + 1h);  // it has come down by then
  const Time expected = clock.at(kStart + 320s);
  EXPECT_EQ(pass(wall, clock, 320s), expected);
}

TEST(ShardClockTest, AStoredTimeInThePastChangesNothing) {
  SetClock wall;
  ShardClock clock(wall);
  clock.resume_after(kStart - 1h);
  EXPECT_EQ(clock.now(), kStart);
}

}  // namespace
}  // namespace millrace::engine
