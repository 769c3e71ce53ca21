// What the server does about peers that are slow, leave, or are there when it stops.
#include <gtest/gtest.h>

#include <future>
#include <string>

#include "http/server.h"
#include "http/test_peer.h"

namespace millrace::http {
namespace {

using namespace std::chrono_literals;
using testing::Answer;
using testing::RawPeer;
using testing::TestServer;

const std::string kHello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string kWait = "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n";

ServerOptions with(Patience patience) { return {.patience = patience}; }

TEST(Patience, ASlowHeadIsRefused) {
  TestServer server(with({.head = 50ms}));
  RawPeer peer = server.peer();
  const Answer answer = peer.say("GET /hello HTTP/1.1\r\nHo").hear();
  EXPECT_EQ(answer.status, 408);
  EXPECT_EQ(answer.header("Connection"), "close");
}

TEST(Patience, ASlowHeadIsRefusedEvenIfItKeepsComing) {
  TestServer server(with({.head = 100ms, .linger = 50ms}));
  RawPeer peer = server.peer();
  peer.say("GET /hello HTTP/1.1\r\nHost: a\r\nA: ");
  int said = 0;
  while (said < 10'000 && !peer.hears_within(1ms)) {
    peer.say("a");
    ++said;
  }
  EXPECT_GT(said, 10);
  EXPECT_EQ(peer.hear().status, 408);
}

TEST(Patience, AnIdleConnectionIsClosedWithoutAWord) {
  TestServer server(with({.idle = 50ms}));
  RawPeer peer = server.peer();
  EXPECT_EQ(peer.say(kHello).hear().status, 200);
  EXPECT_EQ(peer.take_rest(), "");
  EXPECT_TRUE(peer.closed_by_server());
}

TEST(Patience, AConnectionThatNeverSpeaksIsClosed) {
  TestServer server(with({.head = 50ms}));
  RawPeer peer = server.peer();
  EXPECT_EQ(peer.take_rest(), "");
  EXPECT_TRUE(peer.closed_by_server());
}

TEST(Patience, AStalledBodyIsRefused) {
  TestServer server(with({.progress = 50ms}));
  RawPeer peer = server.peer();
  EXPECT_EQ(peer.say("POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc").hear().status, 408);
  RawPeer chunked = server.peer();
  chunked.say("POST /small HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab");
  EXPECT_EQ(chunked.hear().status, 408);
}

TEST(Patience, APeerThatDoesNotReadIsCut) {
  TestServer server(with({.progress = 50ms}));
  RawPeer peer = server.peer();
  peer.say("GET /huge HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(peer.hears_within(10s));
  EXPECT_TRUE(server.server->drain(1h));
  EXPECT_LT(peer.take_rest().size(), testing::kHugeBytes);
}

TEST(Peer, ThatLeavesInterruptsTheWait) {
  TestServer server;
  RawPeer peer = server.peer();
  peer.say(kWait);
  auto sender = server.waiting.entered.get_future().get();
  peer.leave();
  EXPECT_TRUE(server.waiting.interrupted.get_future().get());
}

TEST(Peer, ThatPipelinesBehindAWaitIsAnsweredInOrder) {
  TestServer server;
  RawPeer peer = server.peer();
  peer.say(kWait + kHello);
  auto sender = server.waiting.entered.get_future().get();
  peer.say("GET /items/5 HTTP/1.1\r\nHost: a\r\n\r\n");
  sender.fulfil("waited");
  EXPECT_EQ(peer.hear().body, "waited");
  EXPECT_EQ(peer.hear().body, "hi");
  EXPECT_EQ(peer.hear().body, "5");
  // The read that the wait left under way serves a body as well as a head.
  const std::string large(100'000, 'y');
  peer.say("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + large);
  EXPECT_EQ(peer.hear().body, large);
}

TEST(Drain, FinishesTheRequestInFlight) {
  TestServer server;
  RawPeer busy = server.peer();
  RawPeer other = server.peer();
  RawPeer idle = server.peer();  // on the io thread of `busy`, so when it is closed, that one drains
  EXPECT_EQ(idle.say(kHello).hear().status, 200);
  busy.say("POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(busy.hear().status, 100);
  auto drained = std::async(std::launch::async, [&] { return server.server->drain(1h); });
  EXPECT_TRUE(idle.closed_by_server());
  EXPECT_TRUE(other.closed_by_server());
  const Answer answer = busy.say("done").hear();
  EXPECT_EQ(answer.body, "done");
  EXPECT_EQ(answer.header("Connection"), "close");
  EXPECT_TRUE(busy.closed_by_server());
  EXPECT_TRUE(drained.get());
  EXPECT_EQ(server.server->connections(), 0u);
}

TEST(Drain, InterruptsLongWaitsAndAnswersThem) {
  TestServer server;
  RawPeer peer = server.peer();
  peer.say(kWait);
  auto sender = server.waiting.entered.get_future().get();
  EXPECT_TRUE(server.server->drain(1h));
  EXPECT_FALSE(server.waiting.interrupted.get_future().get());
  const Answer answer = peer.hear();
  EXPECT_EQ(answer.body, "interrupted");
  EXPECT_EQ(answer.header("Connection"), "close");
}

TEST(Drain, CutsWhatOutlastsItsPatience) {
  TestServer server;
  RawPeer peer = server.peer();
  peer.say("POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(peer.hear().status, 100);
  EXPECT_FALSE(server.server->drain(1ms));
  EXPECT_TRUE(peer.closed_by_server());
  EXPECT_EQ(server.server->connections(), 0u);
}

TEST(Drain, TakesNoNewConnections) {
  TestServer server;
  const auto port = server.server->port();
  RawPeer(port).say(kHello).hear();
  EXPECT_TRUE(server.server->drain(1h));
  EXPECT_THROW(RawPeer{port}, boost::system::system_error);
}

TEST(Drain, AServerThatIsDestroyedLetsItsPeersGo) {
  TestServer server;
  RawPeer peer = server.peer();
  EXPECT_EQ(peer.say(kHello).hear().status, 200);
  server.server.reset();
  EXPECT_TRUE(peer.closed_by_server());
}

}  // namespace
}  // namespace millrace::http
