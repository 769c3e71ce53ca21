#include "http/held_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "http/test_peer.h"

namespace millrace::http {
namespace {

using testing::Answer;
using ::testing::HasSubstr;
using testing::kHugeBytes;
using testing::RawPeer;
using testing::TestServer;

constexpr std::size_t kMiB = 1024 * 1024;
const std::string kHello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string kHuge = "GET /huge HTTP/1.1\r\nHost: a\r\n\r\n";

std::string post_large(std::size_t announced, std::size_t sent) {
  return "POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(announced) + "\r\n\r\n" +
         std::string(sent, 'x');
}

void wait_for_held(TestServer& server, std::size_t bytes) {
  const auto deadline = async::Steady::now() + std::chrono::seconds(10);
  while (server.server->held_bytes() != bytes && async::Steady::now() < deadline) std::this_thread::yield();
  ASSERT_EQ(server.server->held_bytes(), bytes);
}

TEST(HeldBytes, ALeaseGivesBackWhatItTook) {
  HeldBytes held(1000 * 1000);
  {
    HeldBytes::Lease lease(held);
    HeldBytes::Lease other(held);
    EXPECT_TRUE(lease.grow(600'000));
    EXPECT_FALSE(other.grow(600'000));
    EXPECT_EQ(held.held(), 600'000u);
    lease.add(600'000);
    EXPECT_EQ(held.held(), 1'200'000u);
    EXPECT_FALSE(held.has_room(HeldBytes::kUncountedBytes + 1));
    EXPECT_TRUE(held.has_room(HeldBytes::kUncountedBytes));
  }
  EXPECT_EQ(held.held(), 0u);
}

TEST(HeldBytes, OneThatIsLargerThanTheBoundHasRoomWhereItIsAlone) {
  HeldBytes held(100'000);
  EXPECT_TRUE(held.has_room(300'000));
  HeldBytes::Lease lease(held);
  EXPECT_TRUE(lease.grow(90'000));
  EXPECT_TRUE(lease.grow(210'000));
  EXPECT_FALSE(held.has_room(300'000));
}

TEST(HeldBytes, AnswersLeaveHalfOfTheRoomToBodies) {
  HeldBytes held(1000 * 1000);
  HeldBytes::Lease lease(held);
  EXPECT_TRUE(held.has_room_for_answer(600'000)) << "it is alone";
  lease.add(400'000);
  EXPECT_TRUE(held.has_room_for_answer(100'000));
  EXPECT_FALSE(held.has_room_for_answer(100'001));
  EXPECT_TRUE(held.has_room(600'000));
  lease.give_back(300'000);
  EXPECT_TRUE(held.has_room_for_answer(400'000));
}

TEST(HeldBytes, ABodyThatDoesNotFitIsRefusedBeforeItIsRead) {
  TestServer server({.held_bytes_max = 5 * kMiB});
  RawPeer first = server.peer();
  first.say(post_large(4 * kMiB, 4 * kMiB - 1));
  wait_for_held(server, 4 * kMiB);
  RawPeer second = server.peer();
  const Answer refused = second.say(post_large(4 * kMiB, 0)).hear();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("Retry-After"), "1");
  EXPECT_EQ(refused.header("Content-Type"), "application/problem+json");
  EXPECT_EQ(server.peer().say(post_large(1000, 1000)).hear().status, 200);
  EXPECT_EQ(first.say("x").hear().status, 200);
  wait_for_held(server, 0);
  EXPECT_EQ(server.peer().say(post_large(4 * kMiB, 4 * kMiB)).hear().status, 200);
}

TEST(HeldBytes, ABodyOfUnknownLengthIsCountedAsItArrives) {
  TestServer server({.held_bytes_max = 2 * kMiB});
  RawPeer other = server.peer();
  other.say(post_large(kMiB, kMiB - 1));
  wait_for_held(server, kMiB);
  RawPeer peer = server.peer();
  peer.say("POST /large HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n300000\r\n" +
           std::string(3 * kMiB, 'x'));
  EXPECT_EQ(peer.hear().status, 503);
  wait_for_held(server, kMiB);
}

TEST(HeldBytes, AnAnswerThatDoesNotFitCanBeAskedForAgain) {
  TestServer server({.held_bytes_max = kHugeBytes + kMiB});
  RawPeer slow = server.peer();
  slow.say(kHuge);
  wait_for_held(server, kHugeBytes);
  const Answer refused = server.ask(kHuge);
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, HasSubstr("try again"));
  EXPECT_EQ(server.ask(kHello).status, 200);
  slow.leave();
  wait_for_held(server, 0);
  EXPECT_EQ(server.ask(kHuge).status, 200);
}

TEST(HeldBytes, WhoReadsSlowlyKeepsNoBodyOut) {
  TestServer server({.held_bytes_max = 2 * kHugeBytes});
  RawPeer slow = server.peer();
  slow.say(kHuge);
  wait_for_held(server, kHugeBytes);
  EXPECT_EQ(server.ask(kHuge).status, 503);
  EXPECT_EQ(server.peer().say(post_large(4 * kMiB, 4 * kMiB)).hear().status, 200);
}

TEST(HeldBytes, OfAStreamTheChunkCountsThatIsBeingSent) {
  TestServer server({.held_bytes_max = kHugeBytes + kMiB});
  RawPeer slow = server.peer();
  slow.say("GET /pour HTTP/1.1\r\nHost: a\r\n\r\n");
  wait_for_held(server, kHugeBytes);
  EXPECT_EQ(server.peer().say(post_large(4 * kMiB, 0)).hear().status, 503);
  slow.leave();
  wait_for_held(server, 0);
}

TEST(HeldBytes, ALargeChunkIsWhole) {
  TestServer server;
  RawPeer peer = server.peer();
  const std::string heard = peer.say("GET /pour HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").take_rest();
  EXPECT_TRUE(heard.ends_with("\r\n\r\n4000000\r\n" + std::string(kHugeBytes, 'x') + "\r\n0\r\n\r\n"));
  wait_for_held(server, 0);
}

}  // namespace
}  // namespace millrace::http
