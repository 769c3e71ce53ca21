#include "http/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "http/test_peer.h"

namespace millrace::http {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::TestServer;

// A key and a certificate for 127.0.0.1 and localhost, signed by itself, in a folder that goes with it.
class SelfSigned {
 public:
  SelfSigned() {
    char path[] = "/tmp/millrace-tls-XXXXXX";
    folder_ = ::mkdtemp(path);
    files = {folder_ + "/cert.pem", folder_ + "/key.pem"};
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_EXTENSION* names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost");
    X509_add_ext(certificate, names, -1);
    X509_sign(certificate, key, EVP_sha256());
    write(files.certificate, [&](FILE* file) { PEM_write_X509(file, certificate); });
    write(files.key, [&](FILE* file) { PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr); });
    X509_EXTENSION_free(names);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
  ~SelfSigned() {
    std::remove(files.certificate.c_str());
    std::remove(files.key.c_str());
    ::rmdir(folder_.c_str());
  }
  TlsFiles files;

 private:
  template <class Write>
  static void write(const std::string& path, Write put) {
    FILE* file = std::fopen(path.c_str(), "w");
    put(file);
    std::fclose(file);
  }
  std::string folder_;
};

TEST(Client, AsksAndKeepsItsConnection) {
  TestServer server;
  Client client(server.server->url());
  client.set_header("X-Correlation-ID", "always");
  for (int i = 0; i < 3; ++i) {
    const auto answer = client.request("POST", "/echo", {{"Content-Type", "application/json"}}, "[1]");
    ASSERT_TRUE(answer.has_value()) << answer.error().detail;
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, "[1]");
    EXPECT_EQ(answer->header("x-correlation-id"), "always");
  }
  EXPECT_EQ(client.request("GET", "/nothing", {}, "")->status, 404);
  EXPECT_EQ(client.request("HEAD", "/hello", {}, "")->body, "");
  EXPECT_EQ(client.request("GET", "/stream", {}, "")->body, "one,two");
  EXPECT_EQ(server.server->connections(), 1u);
}

TEST(Client, ComesBackAfterTheServerClosedTheConnection) {
  TestServer server;
  Client client(server.server->url());
  EXPECT_EQ(client.request("GET", "/hello", {{"Connection", "close"}}, "")->status, 200);
  EXPECT_EQ(client.request("GET", "/hello", {}, "")->status, 200);
}

TEST(Client, SaysThatNobodyIsThere) {
  std::uint16_t port = 0;
  {
    TestServer server;
    port = server.server->port();
  }
  Client client("http://127.0.0.1:" + std::to_string(port));
  const auto answer = client.request("GET", "/", {}, "");
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, Errc::unavailable);
}

TEST(Client, GivesUpInTime) {
  TestServer server;
  Client client(server.server->url());
  const auto answer = client.request("GET", "/wait", {}, "", 50ms);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, Errc::unavailable);
  // The server notices as well.
  auto sender = server.waiting.entered.get_future().get();
  EXPECT_TRUE(server.waiting.interrupted.get_future().get());
}

// Takes a stream in; `enough` ends it after the first piece.
struct Taken {
  std::string text;
  bool enough = false;
  ClientStream stream(std::chrono::milliseconds silence = 10s, int interrupt_fd = -1) {
    return {.take =
                [this](std::string_view piece) {
                  text += piece;
                  return !enough;
                },
            .silence_max = silence,
            .interrupt_fd = interrupt_fd};
  }
};

TEST(ClientStream, GivesTheBodyAsItComes) {
  TestServer server;
  Client client(server.server->url());
  Taken taken;
  const auto answer = client.stream("/stream", {}, taken.stream());
  ASSERT_TRUE(answer.has_value()) << answer.error().detail;
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "");
  EXPECT_EQ(taken.text, "one,two");
  EXPECT_EQ(client.request("GET", "/hello", {}, "")->body, "hi");
}

TEST(ClientStream, EndsWhenTheTakerHasEnough) {
  TestServer server;
  Client client(server.server->url());
  Taken taken{.text = {}, .enough = true};
  EXPECT_TRUE(client.stream("/huge", {}, taken.stream()).has_value());
  EXPECT_LT(taken.text.size(), testing::kHugeBytes);
  EXPECT_FALSE(taken.text.empty());
}

TEST(ClientStream, AnotherStatusIsAnAnswerLikeAnyOther) {
  TestServer server;
  Client client(server.server->url());
  Taken taken;
  const auto answer = client.stream("/nothing", {}, taken.stream());
  ASSERT_TRUE(answer.has_value()) << answer.error().detail;
  EXPECT_EQ(answer->status, 404);
  EXPECT_THAT(answer->body, HasSubstr("404"));
  EXPECT_EQ(taken.text, "");
}

TEST(ClientStream, APeerThatSaysNothingIsLost) {
  TestServer server;
  Client client(server.server->url());
  Taken taken;
  const auto answer = client.stream("/wait", {}, taken.stream(50ms));
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, Errc::unavailable);
  auto sender = server.waiting.entered.get_future().get();
  EXPECT_TRUE(server.waiting.interrupted.get_future().get());
}

TEST(ClientStream, EndsWithTheInterrupt) {
  TestServer server;
  Client client(server.server->url());
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::thread interrupter([&] {
    auto sender = server.waiting.entered.get_future().get();
    EXPECT_EQ(::write(ends[1], "x", 1), 1);
    EXPECT_TRUE(server.waiting.interrupted.get_future().get());
  });
  Taken taken;
  EXPECT_TRUE(client.stream("/wait", {}, taken.stream(30s, ends[0])).has_value());
  interrupter.join();
  EXPECT_EQ(client.request("GET", "/hello", {}, "")->body, "hi");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Client, RefusesOtherAddresses) {
  EXPECT_THROW(Client("ftp://host"), std::invalid_argument);
  EXPECT_THROW(Client("http://"), std::invalid_argument);
  EXPECT_THROW(Client("localhost:8080"), std::invalid_argument);
}

TEST(Tls, ServesOverTls) {
  const SelfSigned made;
  TestServer server({.tls = made.files});
  EXPECT_TRUE(server.server->url().starts_with("https://"));
  Client client(server.server->url(), made.files.certificate);
  for (int i = 0; i < 3; ++i) {
    const auto answer = client.request("GET", "/hello", {}, "");
    ASSERT_TRUE(answer.has_value()) << answer.error().detail;
    EXPECT_EQ(answer->body, "hi");
  }
  const std::string large(2'000'000, 'z');
  const auto echoed = client.request("POST", "/large", {}, large);
  ASSERT_TRUE(echoed.has_value()) << echoed.error().detail;
  EXPECT_TRUE(echoed->body == large);
  EXPECT_EQ(server.server->connections(), 1u);
  Taken taken;
  EXPECT_TRUE(client.stream("/stream", {}, taken.stream()).has_value());
  EXPECT_EQ(taken.text, "one,two");
}

TEST(Tls, ClientDoesNotTrustAStranger) {
  const SelfSigned made;
  const SelfSigned other;
  TestServer server({.tls = made.files});
  Client client(server.server->url(), other.files.certificate);
  EXPECT_FALSE(client.request("GET", "/hello", {}, "").has_value());
}

TEST(Tls, APeerThatLeavesInterruptsTheWait) {
  const SelfSigned made;
  TestServer server({.tls = made.files});
  Client client(server.server->url(), made.files.certificate);
  EXPECT_FALSE(client.request("GET", "/wait", {}, "", 200ms).has_value());
  auto sender = server.waiting.entered.get_future().get();
  EXPECT_TRUE(server.waiting.interrupted.get_future().get());
}

TEST(Tls, PlainTextOnATlsPortIsClosed) {
  const SelfSigned made;
  TestServer server({.tls = made.files, .patience = {.head = 100ms}});
  auto peer = server.peer();
  EXPECT_EQ(peer.say("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n").hear().status, 0);
  EXPECT_TRUE(peer.closed_by_server());
  auto silent = server.peer();
  EXPECT_TRUE(silent.closed_by_server());
}

TEST(Tls, NamesTheFileThatDoesNotDo) {
  const SelfSigned made;
  const SelfSigned other;
  const auto start = [](TlsFiles files) { TestServer server({.tls = std::move(files)}); };
  EXPECT_THROW(start({"/nowhere/cert.pem", made.files.key}), std::runtime_error);
  EXPECT_THROW(start({made.files.certificate, other.files.key}), std::runtime_error);
}

}  // namespace
}  // namespace millrace::http
