#include "http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/unavailable.h"
#include "http/test_peer.h"

namespace millrace::http {
namespace {

using namespace std::chrono_literals;
using testing::Answer;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::RawPeer;
using testing::TestServer;

const std::string kHello = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";

std::string post(const std::string& path, const std::string& fields, const std::string& body) {
  return "POST " + path + " HTTP/1.1\r\nHost: a\r\n" + fields + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}
const std::string kJsonType = "Content-Type: application/json\r\n";

TEST(Server, AnswersAndKeepsTheConnection) {
  TestServer server;
  RawPeer peer = server.peer();
  for (int i = 0; i < 3; ++i) {
    const Answer answer = peer.say(kHello).hear();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "hi");
    EXPECT_EQ(answer.header("Content-Type"), "text/plain; charset=utf-8");
    EXPECT_EQ(answer.header("Connection"), "");
  }
  EXPECT_EQ(server.server->connections(), 1u);
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
  TestServer server;
  RawPeer peer = server.peer();
  std::string all;
  for (int i = 0; i < 500; ++i) all += "GET /items/" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n";
  all += post("/echo", kJsonType, "{}") + kHello;
  peer.say(all);
  for (int i = 0; i < 500; ++i) ASSERT_EQ(peer.hear().body, std::to_string(i));
  EXPECT_EQ(peer.hear().body, "{}");
  EXPECT_EQ(peer.hear().body, "hi");
}

TEST(Server, TakesARequestByteByByte) {
  TestServer server;
  RawPeer peer = server.peer();
  for (const char c : "\r\n" + post("/echo", kJsonType, "[1,2]")) peer.say(std::string_view(&c, 1));
  EXPECT_EQ(peer.hear().body, "[1,2]");
}

TEST(Server, ClosesWhenAsked) {
  TestServer server;
  RawPeer peer = server.peer();
  const Answer answer = peer.say("GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").hear();
  EXPECT_EQ(answer.header("Connection"), "close");
  EXPECT_TRUE(peer.closed_by_server());
}

TEST(Server, SpeaksToOldClients) {
  TestServer server;
  RawPeer kept = server.peer();
  EXPECT_EQ(kept.say("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").hear().header("Connection"),
            "keep-alive");
  EXPECT_EQ(kept.say(kHello).hear().status, 200);
  RawPeer closed = server.peer();
  EXPECT_EQ(closed.say("GET /hello HTTP/1.0\r\n\r\n").hear().body, "hi");
  EXPECT_TRUE(closed.closed_by_server());
}

TEST(Server, UnknownPathsAndMethodsAreRefusedAndTheConnectionGoesOn) {
  TestServer server;
  RawPeer peer = server.peer();
  EXPECT_EQ(peer.say(post("/nothing", kJsonType, "{}")).hear().status, 404);
  EXPECT_EQ(peer.say("GET /hello/ HTTP/1.1\r\nHost: a\r\n\r\n").hear().status, 404);
  const Answer refused = peer.say("BREW /hello HTTP/1.1\r\nHost: a\r\n\r\n").hear();
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.header("Allow"), "GET, HEAD");
  EXPECT_EQ(refused.header("Content-Type"), "application/problem+json");
  EXPECT_EQ(peer.say("GET /small HTTP/1.1\r\nHost: a\r\n\r\n").hear().body, R"({"error":"this path takes POST"})");
  EXPECT_EQ(peer.say("GET /hello?a=%zz HTTP/1.1\r\nHost: a\r\n\r\n").hear().status, 400);
  EXPECT_EQ(peer.say(kHello).hear().status, 200);
}

TEST(Server, HeadAnswersAsGetWithoutABody) {
  TestServer server;
  RawPeer peer = server.peer();
  const Answer answer = peer.say("HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\n").hear(true);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Content-Length"), "2");
  EXPECT_EQ(peer.say("HEAD /effects HTTP/1.1\r\nHost: a\r\n\r\n").hear(true).status, 405);
  EXPECT_EQ(peer.say(kHello).hear().body, "hi");
}

TEST(Server, RefusesBodiesOfTheWrongKind) {
  TestServer server;
  RawPeer peer = server.peer();
  EXPECT_EQ(peer.say(post("/echo", "Content-Type: text/plain\r\n", "{}")).hear().status, 415);
  EXPECT_EQ(peer.say(post("/echo", "", "{}")).hear().status, 415);
  EXPECT_EQ(peer.say(post("/echo", kJsonType + "Content-Encoding: gzip\r\n", "{}")).hear().status, 415);
  EXPECT_EQ(peer.say(post("/echo", "", "")).hear().status, 200);
  EXPECT_EQ(peer.say(post("/echo", kJsonType, "{}")).hear().status, 200);
}

TEST(Server, RefusesBodiesThatAreTooLargeBeforeReadingThem) {
  TestServer server;
  RawPeer peer = server.peer();
  const Answer answer = peer.say("POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n").hear();
  EXPECT_EQ(answer.status, 413);
  EXPECT_THAT(answer.body, HasSubstr("1000000000"));
  EXPECT_THAT(answer.body, HasSubstr("1000 "));
  EXPECT_EQ(answer.header("Connection"), "close");
  peer.end_sending();
  EXPECT_TRUE(peer.closed_by_server());
}

// Many clients look for an answer only when all of their body is sent.
TEST(Server, ReadsPastABodyThatIsTooLarge) {
  TestServer server;
  RawPeer peer = server.peer();
  const std::string request = post("/small", "", std::string(20 << 20, 'x'));
  boost::system::error_code error;
  boost::asio::write(peer.socket(), boost::asio::buffer(request), error);
  EXPECT_FALSE(error) << error.message();
  EXPECT_EQ(peer.hear().status, 413);
  peer.end_sending();
  EXPECT_TRUE(peer.closed_by_server());
}

TEST(Server, DoesNotReadPastABodyWithoutEnd) {
  TestServer server;
  RawPeer peer = server.peer();
  peer.say("POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n");
  const std::string piece(1 << 20, 'x');
  boost::system::error_code error;
  for (int i = 0; i < 200 && !error; ++i) boost::asio::write(peer.socket(), boost::asio::buffer(piece), error);
  EXPECT_TRUE(error);
}

TEST(Server, SaysWhatIsWrongWithATargetInTheStyleOfItsEndpoint) {
  TestServer server;
  const Answer plain = server.ask(post("/small?a=%ff", "", ""));
  EXPECT_EQ(plain.status, 400);
  EXPECT_EQ(plain.header("Content-Type"), "application/json");
  EXPECT_EQ(plain.body, R"({"error":"query parameter \"a\" is not UTF-8 once it is decoded","field":"a"})");
  const Answer problem = server.ask("GET /items/%00 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(problem.status, 400);
  EXPECT_EQ(problem.header("Content-Type"), "application/problem+json");
  EXPECT_THAT(problem.body, HasSubstr("the path has a NUL"));
}

TEST(Server, RefusesChunkedBodiesOnceTheyAreTooLarge) {
  TestServer server;
  RawPeer peer = server.peer();
  peer.say("POST /small HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 11; ++i) peer.say("64\r\n" + std::string(100, 'x') + "\r\n");
  const Answer answer = peer.hear();
  EXPECT_EQ(answer.status, 413);
  EXPECT_THAT(answer.body, HasSubstr("1000 bytes"));
  peer.end_sending();
  EXPECT_TRUE(peer.closed_by_server());
}

TEST(Server, ReadsChunkedBodies) {
  TestServer server;
  RawPeer peer = server.peer();
  peer.say("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" + kJsonType +
           "\r\n2\r\n[1\r\n3;x=y\r\n,2]\r\n0\r\nT: x\r\n\r\n" + kHello);
  EXPECT_EQ(peer.hear().body, "[1,2]");
  EXPECT_EQ(peer.hear().body, "hi");
}

TEST(Server, ReadsAndWritesBodiesLargerThanItsBuffers) {
  TestServer server;
  RawPeer peer = server.peer();
  std::string body(3'000'000, 'x');
  for (std::size_t i = 0; i < body.size(); i += 997) body[i] = static_cast<char>('a' + i % 26);
  std::thread saying([&] { peer.say(post("/large", "", body)); });
  const Answer answer = peer.hear();
  saying.join();
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.body == body);
}

TEST(Server, IgnoresABodyThatNobodyWants) {
  TestServer server;
  RawPeer peer = server.peer();
  const std::string head = "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: ";
  EXPECT_EQ(peer.say(head + "60000\r\n\r\n" + std::string(60000, 'x')).hear().body, "hi");
  EXPECT_EQ(peer.say(kHello).hear().body, "hi");
  EXPECT_EQ(peer.say(head + "70000\r\n\r\n").hear().status, 413);
}

TEST(Server, InvitesABodyThatWaitsForIt) {
  TestServer server;
  RawPeer peer = server.peer();
  peer.say("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n" + kJsonType + "\r\n");
  EXPECT_EQ(peer.hear().status, 100);
  EXPECT_EQ(peer.say("{}").hear().body, "{}");
}

TEST(Server, DoesNotInviteABodyItRefuses) {
  TestServer server;
  RawPeer peer = server.peer();
  peer.say("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  const Answer answer = peer.hear();
  EXPECT_EQ(answer.status, 415);
  EXPECT_EQ(answer.header("Connection"), "close");
  RawPeer other = server.peer();
  EXPECT_EQ(other.say("GET /hello HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\n\r\n").hear().status, 417);
}

TEST(Server, ClosesAfterAFramingError) {
  TestServer server;
  for (const std::string bad :
       {"GET /hello HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET /hello HTTP/1.1\nHost: a\n\n",
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
    RawPeer peer = server.peer();
    const Answer answer = peer.say(bad + kHello).hear();
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_NE(answer.header("X-Request-ID"), "");
    peer.end_sending();
    EXPECT_EQ(peer.take_rest(), "");
  }
  RawPeer chunked = server.peer();
  chunked.say("POST /small HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\nx");
  EXPECT_EQ(chunked.hear().status, 400);
}

TEST(Server, RefusesAHeadThatIsTooLarge) {
  TestServer server;
  RawPeer peer = server.peer();
  peer.say("GET /hello HTTP/1.1\r\nHost: a\r\nA: " + std::string(20'000, 'x') + "\r\n\r\n");
  EXPECT_EQ(peer.hear().status, 431);
  const std::string most = "GET /hello HTTP/1.1\r\nHost: a\r\nA: ";
  EXPECT_EQ(server.ask(most + std::string(16 * 1024 - most.size() - 4, 'x') + "\r\n\r\n").status, 200);
}

TEST(Server, EveryAnswerCarriesItsIds) {
  TestServer server;
  RawPeer peer = server.peer();
  const Answer given =
      peer.say("GET /hello HTTP/1.1\r\nHost: a\r\nx-correlation-id: order 17\r\nX-Request-ID: mine\r\n\r\n").hear();
  EXPECT_EQ(given.header("X-Correlation-ID"), "order 17");
  EXPECT_EQ(given.header("X-Request-ID").size(), 36u);
  const Answer made = peer.say("GET /nothing HTTP/1.1\r\nHost: a\r\nX-Correlation-ID: \xff\r\n\r\n").hear();
  EXPECT_EQ(made.header("X-Correlation-ID").size(), 36u);
  EXPECT_NE(made.header("X-Request-ID"), given.header("X-Request-ID"));
}

TEST(Server, GuardDecidesBeforeTheBodyIsRead) {
  TestServer server({}, [](Request& request, const Endpoint& endpoint) -> Result<void> {
    if (endpoint.name == "hello") return {};
    if (!request.header("authorization")) return fail(Errc::unauthenticated, "send a key");
    return fail(Errc::forbidden, "not with this key");
  });
  RawPeer peer = server.peer();
  const Answer unknown = peer.say("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n").hear();
  EXPECT_EQ(unknown.status, 401);
  EXPECT_EQ(unknown.header("WWW-Authenticate"), "Bearer");
  RawPeer known = server.peer();
  EXPECT_EQ(known.say(post("/echo", "Authorization: x\r\n", "{}")).hear().status, 403);
  EXPECT_EQ(known.say(kHello).hear().status, 200);
}

TEST(Server, SurvivesWhatTheGuardThrows) {
  TestServer server({}, [](Request&, const Endpoint&) -> Result<void> { throw Unavailable("no keys just now"); });
  EXPECT_EQ(server.ask(kHello).status, 503);
}

TEST(Server, SurvivesWhatHandlersThrow) {
  TestServer server;
  RawPeer peer = server.peer();
  const Answer failed = peer.say("GET /throw HTTP/1.1\r\nHost: a\r\n\r\n").hear();
  EXPECT_EQ(failed.status, 500);
  EXPECT_THAT(failed.body, ::testing::Not(HasSubstr("on purpose")));
  const Answer away = peer.say("GET /unavailable HTTP/1.1\r\nHost: a\r\n\r\n").hear();
  EXPECT_EQ(away.status, 503);
  EXPECT_EQ(away.header("Retry-After"), "1");
  EXPECT_EQ(peer.say(kHello).hear().status, 200);
}

TEST(Server, StreamsInChunks) {
  TestServer server;
  RawPeer peer = server.peer();
  peer.say("GET /stream HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(peer.hear().header("Transfer-Encoding"), "chunked");
  EXPECT_EQ(peer.take_rest(), "4\r\none,\r\n3\r\ntwo\r\n0\r\n\r\n");
  EXPECT_EQ(server.ask("GET /stream HTTP/1.0\r\n\r\n").status, 505);
}

TEST(Server, TellsTheObserverOfEachAnswer) {
  TestServer server;
  {
    RawPeer peer = server.peer();
    peer.say(kHello + "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n" + "nonsense\r\n\r\n");
    for (int i = 0; i < 3; ++i) peer.hear();
  }
  server.server->drain(10s);
  EXPECT_THAT(server.answered(), ::testing::ElementsAre(Pair(200, "hello"), Pair(404, ""), Pair(400, "")));
}

TEST(Server, RefusesConnectionsBeyondItsLimits) {
  TestServer server({.connections_per_address_max = 2});
  RawPeer one = server.peer();
  RawPeer two = server.peer();
  EXPECT_EQ(one.say(kHello).hear().status, 200);
  EXPECT_EQ(two.say(kHello).hear().status, 200);
  RawPeer three = server.peer();
  const Answer refused = three.hear();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("Content-Type"), "application/problem+json");
  EXPECT_THAT(refused.body, HasSubstr("too many connections"));
  for (const char* name : {"Date", "X-Request-ID", "X-Correlation-ID", "Retry-After"})
    EXPECT_NE(refused.header(name), "") << name;
  EXPECT_TRUE(three.closed_by_server());
  EXPECT_EQ(server.server->refused_connections(), 1u);
  EXPECT_EQ(server.server->connections(), 2u);
  TestServer small({.connections_max = 1});
  RawPeer first = small.peer();
  EXPECT_EQ(first.say(kHello).hear().status, 200);
  EXPECT_EQ(small.peer().hear().status, 503);
}

TEST(Server, SaysWhichVersionsItSpeaks) {
  TestServer server;
  const Answer answer = server.ask("GET /hello HTTP/2.0\r\nHost: a\r\n\r\n");
  EXPECT_EQ(answer.status, 505);
  EXPECT_EQ(answer.header("Content-Type"), "application/problem+json");
  EXPECT_EQ(server.ask("GET /hello HTTP/x\r\nHost: a\r\n\r\n").status, 400);
}

TEST(Server, NamesTheAddressItCannotListenOn) {
  async::IoThreads io(1);
  const auto listen = [&](ServerOptions options) { Server server(io, Router({}), std::move(options), {}, {}); };
  TestServer taken;
  try {
    listen({.port = taken.server->port()});
    FAIL() << "two servers on one port";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("127.0.0.1 port " + std::to_string(taken.server->port())));
  }
  EXPECT_THROW(listen({.address = "nowhere", .port = 0}), std::runtime_error);
}

}  // namespace
}  // namespace millrace::http
