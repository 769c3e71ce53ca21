// A server that is given more than it can commit says so, and does nothing.
#include <gmock/gmock.h>

#include <future>
#include <semaphore>
#include <thread>

#include "api/access.h"
#include "api/policy_book.h"
#include "api/routes.h"
#include "api/tenants.h"
#include "async/io_threads.h"
#include "blob/memory_store.h"
#include "http/client.h"
#include "http/server.h"
#include "json/parse.h"
#include "store/memory/memory_store.h"

namespace millrace::api {
namespace {

using http::ClientResponse;

// Takes one command at a time; its answer can be held back, so that the next command finds it full.
class FullServer : public testing::Test {
 public:
  ~FullServer() override {
    server_.drain(std::chrono::seconds(5));
    engine_.stop();
  }

 protected:
  FullServer() {
    server_.start();
    engine_.start();
    while (engine_.state() != engine::State::ready) std::this_thread::yield();
  }

  ClientResponse send(const std::string& method, const std::string& target, std::string body = "") {
    http::Client client(server_.url());
    const http::ClientHeaders headers =
        body.empty() ? http::ClientHeaders{} : http::ClientHeaders{{"Content-Type", "application/json"}};
    return client.request(method, target, headers, std::move(body)).value();
  }
  ClientResponse create(const std::string& title) {
    return send("POST", "/events", R"({"title":")" + title + R"(","tags":"t"})");
  }
  std::int64_t count(const std::string& listing) {
    const ClientResponse listed = send("GET", listing);
    return json::parse(listed.body)->root().find("total")->as_int64().value();
  }

  // Sends a request whose answer does not come before release().
  std::future<ClientResponse> fill() {
    holds_ = true;
    auto held = std::async(std::launch::async, [this] { return create("held"); });
    full_.acquire();
    return held;
  }
  void release() {
    holds_ = false;
    released_.release();
  }

  engine::EngineOptions options() {
    engine::EngineOptions options;
    options.pending_commands_max = 1;
    options.around_deliveries = [this](const std::function<void()>& deliver) {
      if (holds_) {
        full_.release();
        released_.acquire();
      }
      deliver();
    };
    return options;
  }

  std::atomic<bool> holds_ = false;
  std::binary_semaphore full_{0};
  std::binary_semaphore released_{0};
  SystemClock clock_;
  store::MemoryStore store_;
  async::IoThreads io_{1};
  async::ThreadPool readers_{1};
  blob::MemoryStore blobs_{clock_};
  http::Metrics metrics_;
  engine::Engine engine_{store_, clock_, options(), [](const std::string&) {}};
  Tenants tenants_{engine_, clock_};
  PolicyBook policies_{engine_};
  Services services_{.engine = engine_,
                     .tenants = tenants_,
                     .policies = policies_,
                     .readers = readers_,
                     .blobs = {.store = blobs_, .threads = readers_, .events = {}},
                     .metrics = metrics_,
                     .clock = clock_,
                     .queue = {},
                     .version = "test"};
  Access access_{{.listen_host = "127.0.0.1"}, clock_, [this] { return engine_.catalog(); }, [] { return true; }};
  http::Server server_{
      io_,
      http::Router(make_endpoints(services_, 1 << 20)),
      {.port = 0},
      [this](http::Request& request, const http::Endpoint& endpoint) { return access_.admit(request, endpoint); },
      [](const http::Answered&) {}};
};

void expect_told_to_wait(const ClientResponse& answer) {
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.header("Retry-After"), "1");
}

TEST_F(FullServer, AnswersTheQueue429AndStoresNothing) {
  ASSERT_EQ(create("first").status, 201);
  auto held = fill();
  const ClientResponse refused = create("too much");
  expect_told_to_wait(refused);
  EXPECT_EQ(refused.header("Content-Type"), "application/json");
  const auto body = json::parse(refused.body);
  ASSERT_TRUE(body);
  EXPECT_THAT(body->root().find("error")->get_string(), testing::HasSubstr("nothing was done"));
  expect_told_to_wait(send("GET", "/events/subscribe?tags=t&worker_id=w"));
  release();
  EXPECT_EQ(held.get().status, 201);
  EXPECT_EQ(count("/events"), 2);
  EXPECT_EQ(count("/events?status=PENDING"), 2);  // the refused claim took none
  EXPECT_EQ(create("again").status, 201);
}

TEST_F(FullServer, AnswersTheRestWithAProblem) {
  ASSERT_EQ(create("first").status, 201);
  auto held = fill();
  const ClientResponse refused = send("POST", "/api/tenants", R"({"id":"acme"})");
  expect_told_to_wait(refused);
  EXPECT_EQ(refused.header("Content-Type"), "application/problem+json");
  const auto body = json::parse(refused.body);
  ASSERT_TRUE(body);
  EXPECT_TRUE(body->root().find("type")->equals("urn:millrace:problem:overloaded"));
  release();
  EXPECT_EQ(held.get().status, 201);
  EXPECT_EQ(send("GET", "/api/tenants/acme").status, 404);
}

TEST_F(FullServer, StillSaysThatItLives) {
  ASSERT_EQ(create("first").status, 201);
  auto held = fill();
  EXPECT_EQ(send("GET", "/healthz").status, 200);
  EXPECT_EQ(send("GET", "/readyz").status, 200);
  EXPECT_THAT(send("GET", "/metrics").body, testing::HasSubstr("millrace_http_received_bytes_total"));
  release();
  EXPECT_EQ(held.get().status, 201);
}

}  // namespace
}  // namespace millrace::api
