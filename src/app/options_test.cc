#include "app/options.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "app/address.h"

namespace millrace::app {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::internal::CaptureStderr;
using testing::internal::CaptureStdout;
using testing::internal::GetCapturedStderr;
using testing::internal::GetCapturedStdout;

class OptionsTest : public testing::Test {
 protected:
  void TearDown() override {
    if (!file_.empty()) std::remove(file_.c_str());
  }
  std::string write_file(const std::string& text) {
    file_ = (std::filesystem::temp_directory_path() / ("millrace_options_" + std::to_string(getpid()))).string();
    std::ofstream(file_) << text;
    return file_;
  }
  std::variant<ServeOptions, int> parse(const std::vector<std::string>& arguments) {
    std::vector<const char*> argv = {"serve"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    return parse_serve(static_cast<int>(argv.size()), argv.data(), [this](const char* name) -> const char* {
      const auto found = environment_.find(name);
      return found == environment_.end() ? nullptr : found->second.c_str();
    });
  }
  ServeOptions good(const std::vector<std::string>& arguments) {
    auto parsed = parse(arguments);
    EXPECT_TRUE(std::holds_alternative<ServeOptions>(parsed));
    return std::get<ServeOptions>(parsed);
  }
  // What is said about options that will not do.
  std::string complaint(const std::vector<std::string>& arguments) {
    CaptureStderr();
    const auto parsed = parse(arguments);
    std::string said = GetCapturedStderr();
    EXPECT_EQ(std::get<int>(parsed), kExitUsage) << said;
    return said;
  }

  std::map<std::string, std::string> environment_;
  std::string file_;
};

TEST_F(OptionsTest, DefaultsAreTheDocumentedOnes) {
  const ServeOptions options = good({});
  EXPECT_EQ(options.listen, "127.0.0.1:8080");
  EXPECT_EQ(options.queue.lease, std::chrono::seconds(30));
  EXPECT_EQ(options.queue.backoff.base, std::chrono::minutes(5));
  EXPECT_EQ(options.queue_retention, std::chrono::days(30));
  EXPECT_EQ(options.event_retention, Millis(0));
  EXPECT_EQ(options.event_dedup_window, std::chrono::hours(24));
  EXPECT_EQ(options.queue.payload_bytes_max, 1024u * 1024);
}

TEST_F(OptionsTest, AFlagWinsOverTheEnvironmentAndThatOverTheFile) {
  const std::string file = write_file("queue_lease = \"1s\"\nqueue_backoff = \"1s\"\nqueue_retention = 60\n");
  environment_["MILLRACE_QUEUE_LEASE"] = "2s";
  environment_["MILLRACE_QUEUE_BACKOFF"] = "2s";
  const ServeOptions options = good({"--config", file, "--queue-lease", "3s"});
  EXPECT_EQ(options.queue.lease, std::chrono::seconds(3));
  EXPECT_EQ(options.queue.backoff.base, std::chrono::seconds(2));
  EXPECT_EQ(options.queue_retention, std::chrono::seconds(60));
}

TEST_F(OptionsTest, AStoreOfAnotherKindIsRefused) {
  EXPECT_THAT(complaint({"--store", "mysql://db/millrace"}), HasSubstr("must be postgres://"));
  EXPECT_EQ(good({"--store", "postgresql://db/millrace"}).store, "postgresql://db/millrace");
  for (const char* text : {"mysql://u:secret@db/millrace", "admin:secret@db/x", "postgres:me:secret@db/x",
                           "host=db password=secret", "db password=secret"}) {
    EXPECT_THAT(complaint({"--store", text}), Not(HasSubstr("secret"))) << text;
  }
}

TEST_F(OptionsTest, AnAdminKeyWithABlankAtAnEndIsRefused) {
  for (const char* key : {" a-key-of-some-length", "a-key-of-some-length\n", "short\t"}) {
    environment_["MILLRACE_ADMIN_KEY"] = key;
    EXPECT_THAT(complaint({}), HasSubstr("MILLRACE_ADMIN_KEY")) << key;
  }
}

TEST_F(OptionsTest, AnAdminKeyMayBeShort) {
  for (const char* key : {"short", "sixteen-letters!", ""}) {
    environment_["MILLRACE_ADMIN_KEY"] = key;
    EXPECT_EQ(good({}).admin_key, key);
  }
}

TEST_F(OptionsTest, OneAddressMayHaveAPartOfTheConnections) {
  EXPECT_EQ(good({}).connections_max, 10'000u);
  EXPECT_EQ(good({}).connections_per_address_max, 5'000u);
}

TEST_F(OptionsTest, TheMemoryForTransfersHasRoomForALargeBody) {
  EXPECT_EQ(good({}).transfer_memory_max, 512u << 20);
  EXPECT_EQ(good({"--transfer-memory-max", "1MiB", "--body-max", "20MiB"}).transfer_memory_max, 40u << 20);
}

TEST_F(OptionsTest, EventsAreKeptAsLongAsWanted) {
  EXPECT_EQ(good({"--event-retention", "90d"}).event_retention, std::chrono::days(90));
}

TEST_F(OptionsTest, ADeduplicationIdIsRememberedAsLongAsWanted) {  // S3.3
  EXPECT_EQ(good({"--event-dedup-window", "7d"}).event_dedup_window, std::chrono::days(7));
  EXPECT_THAT(complaint({"--event-dedup-window", "0s"}), HasSubstr("event-dedup-window"));
}

TEST_F(OptionsTest, SwitchesWorkAsFlagAndInTheFile) {
  EXPECT_TRUE(good({"--unsafe-no-sync"}).unsafe_no_sync);
  const std::string file = write_file("queue_backoff_jitter = true\nio_threads = 3\n");
  EXPECT_TRUE(good({"--config", file}).queue.backoff.jitter);
  EXPECT_EQ(good({"--config=" + file}).io_threads, 3u);
}

TEST_F(OptionsTest, AnUnknownOrWrongKeyOfTheFileIsNamed) {
  EXPECT_THAT(complaint({"--config", write_file("queue_leese = \"1s\"\n")}), HasSubstr("queue_leese"));
  EXPECT_THAT(complaint({"--config", write_file("[queue]\nlease = \"1s\"\n")}), HasSubstr("queue"));
  EXPECT_THAT(complaint({"--config", write_file("queue_lease = [1]\n")}), HasSubstr("queue_lease"));
  EXPECT_THAT(complaint({"--config", write_file("queue_lease = \n")}), HasSubstr("line 1"));
  EXPECT_THAT(complaint({"--config", "no/such/file.toml"}), HasSubstr("no/such/file.toml"));
}

TEST_F(OptionsTest, AFolderIsNoFileOfSettings) {
  EXPECT_THAT(complaint({"--config", std::filesystem::temp_directory_path().string()}), HasSubstr("is a folder"));
}

TEST_F(OptionsTest, AnEmptyPlaceIsRefusedWhereAFlagOrTheFileNamesIt) {
  for (const char* flag : {"--data", "--store", "--blobs", "--schemas", "--tls-cert", "--tls-key", "--config"}) {
    EXPECT_THAT(complaint({flag, ""}), HasSubstr(std::string(flag) + ": must not be empty"));
  }
  EXPECT_THAT(complaint({"--store="}), HasSubstr("--store"));
  const std::string file = write_file("store = \"\"\n");
  EXPECT_THAT(complaint({"--config", file}), HasSubstr("store in " + file + ": must not be"));
  environment_["MILLRACE_STORE"] = "";
  EXPECT_EQ(good({}).store, "") << "an empty variable is one that is not set";
}

TEST_F(OptionsTest, WrongValuesNameTheirOption) {
  EXPECT_THAT(complaint({"--queue-lease", "soon"}), HasSubstr("--queue-lease"));
  EXPECT_THAT(complaint({"--queue-lease", "0s"}), HasSubstr("--queue-lease"));
  EXPECT_THAT(complaint({"--queue-payload-max", "1MB"}), HasSubstr("--queue-payload-max"));
  EXPECT_THAT(complaint({"--auth", "maybe"}), HasSubstr("--auth"));
  EXPECT_THAT(complaint({"--io-threads", "0"}), HasSubstr("--io-threads"));
  EXPECT_THAT(complaint({"--tls-cert", "x.pem"}), HasSubstr("--tls-key"));
  EXPECT_THAT(complaint({"--data", "a", "--store", "memory://"}), HasSubstr("exclude"));
  EXPECT_THAT(complaint({"--nonsense"}), HasSubstr("--nonsense"));
  environment_["MILLRACE_QUEUE_LEASE"] = "x";
  EXPECT_THAT(complaint({}), HasSubstr("MILLRACE_QUEUE_LEASE"));
}

TEST_F(OptionsTest, WrongValuesNameTheKeyAndTheFileTheyStandIn) {
  const auto key = [file = write_file("")](const char* name) { return fmt::format("{} in {}", name, file); };
  EXPECT_THAT(complaint({"--config", write_file("queue_lease = \"soon\"\n")}), HasSubstr(key("queue_lease") + ": "));
  EXPECT_THAT(complaint({"--config", write_file("tls_cert = \"x.pem\"\n")}),
              HasSubstr(key("tls_cert") + " and --tls-key go together"));
  EXPECT_THAT(complaint({"--config", write_file("data = \"a\"\nstore = \"memory://\"\n")}),
              HasSubstr(key("data") + " and " + key("store") + " exclude"));
  EXPECT_THAT(complaint({"--config", write_file("queue_backoff_max = \"1m\"\n"), "--queue-backoff", "2m"}),
              HasSubstr(key("queue_backoff_max") + " (1m) must not be less than --queue-backoff (2m)"));
  for (const char* blobs : {"postgres", "gs://bucket", "s3://"}) {
    const std::string file = write_file(fmt::format("blobs = \"{}\"\n", blobs));
    EXPECT_THAT(complaint({"--config", file}), HasSubstr(key("blobs"))) << blobs;
  }
}

TEST_F(OptionsTest, WhoeverSetAnOptionFindsItsNameThere) {
  environment_ = {{"MILLRACE_LISTEN", "x"}, {"MILLRACE_BLOBS", "postgres"}};
  const std::string said = complaint({});
  EXPECT_THAT(said, HasSubstr("MILLRACE_BLOBS postgres needs"));
  EXPECT_THAT(said, Not(HasSubstr("--blobs")));
  environment_.erase("MILLRACE_BLOBS");
  const Origins origins = good({"--config", write_file("tls_cert = \"c\"\n"), "--tls-key", "k"}).origins;
  EXPECT_EQ(named(origins, "listen"), "MILLRACE_LISTEN");
  EXPECT_EQ(named(origins, "tls-cert"), "tls_cert in " + file_);
  EXPECT_EQ(named(origins, "tls-key"), "--tls-key");
  EXPECT_EQ(named(origins, "data"), "--data") << "as a flag where nobody set it";
}

TEST_F(OptionsTest, LargePayloadsHaveAPlaceAndAThreshold) {  // S0.9 S4.13
  EXPECT_EQ(good({}).overflow.threshold_bytes, limits::kOverflowBytes);
  environment_ = {{"MILLRACE_BLOBS", "s3://bucket"}, {"AWS_ACCESS_KEY_ID", "i"}, {"AWS_SECRET_ACCESS_KEY", "k"}};
  const ServeOptions options = good({"--overflow-fields", "report,log", "--queue-overflow-bytes", "64KiB"});
  EXPECT_EQ(options.blobs, "s3://bucket");
  EXPECT_THAT(options.overflow.fields, testing::ElementsAre("report", "log"));
  EXPECT_EQ(options.queue.overflow_bytes, std::size_t{64} << 10);
  for (const char* names : {"", ",", "a,", ",a", "a,,b"}) {
    EXPECT_THAT(complaint({"--overflow-fields", names}), HasSubstr("overflow-fields")) << names;
  }
}

TEST_F(OptionsTest, APlaceForBlobsThatCannotBeMeantIsRefused) {  // S0.9
  EXPECT_THAT(complaint({"--blobs", "postgres"}), HasSubstr("--store postgres://"));
  EXPECT_THAT(complaint({"--blobs", "postgres", "--store", "memory://"}), HasSubstr("--store postgres://"));
  EXPECT_EQ(good({"--blobs", "postgres", "--store", "postgres://db"}).blobs, "postgres");
  environment_["MILLRACE_STORE"] = "postgres://db";
  EXPECT_THAT(complaint({"--blobs", "postgres", "--data", "x"}), HasSubstr("--store postgres://"));
  EXPECT_THAT(complaint({"--blobs", "s3://"}), HasSubstr("no bucket"));
  for (const char* other : {"gs://bucket", "S3://bucket", "postgres://u:secret@h/db", "file:///x"}) {
    const std::string said = complaint({"--blobs", other});
    EXPECT_THAT(said, HasSubstr("s3://BUCKET"));
    EXPECT_THAT(said, Not(HasSubstr("secret")));
  }
  EXPECT_THAT(complaint({"--blobs", "s3://b"}), HasSubstr("MILLRACE_S3_ACCESS_KEY"));
  EXPECT_THAT(complaint({"--blobs-take-over", ""}), HasSubstr("blobs-take-over"));
}

TEST_F(OptionsTest, ADataFlagWinsOverAStoreInTheEnvironment) {
  environment_["MILLRACE_STORE"] = "postgres://db";
  EXPECT_EQ(good({}).store, "postgres://db");
  EXPECT_EQ(good({"--data", "x"}).store, "");
}

TEST_F(OptionsTest, TheBodyLimitLeavesRoomForThePayload) {
  EXPECT_GT(good({"--queue-payload-max", "32MiB"}).body_max, std::size_t{32} << 20);
}

// S4.6: as in an item.
TEST_F(OptionsTest, TheLongestPauseIsNotShorterThanTheFirst) {
  const std::string said = complaint({"--queue-backoff", "10m", "--queue-backoff-max", "1m"});
  EXPECT_THAT(said, HasSubstr("--queue-backoff-max (1m)"));
  EXPECT_THAT(said, HasSubstr("--queue-backoff (10m)"));
  EXPECT_THAT(complaint({"--queue-backoff-max", "1m"}), HasSubstr("--queue-backoff (5m)"));
  EXPECT_EQ(good({"--queue-backoff", "1m", "--queue-backoff-max", "1m"}).queue.backoff.cap, std::chrono::minutes(1));
  EXPECT_EQ(good({"--queue-backoff", "2h"}).queue.backoff.cap, std::chrono::hours(2));
}

TEST_F(OptionsTest, AWrongOptionEndsLikeAWrongCommandLineOfAnyCommand) {
  CaptureStderr();
  EXPECT_EQ(std::get<int>(parse({"--nonsense"})), 2);
  GetCapturedStderr();
}

TEST_F(OptionsTest, HelpHasExamplesAndEndsWell) {
  CaptureStdout();
  const auto parsed = parse({"--help"});
  const std::string help = GetCapturedStdout();
  EXPECT_EQ(std::get<int>(parsed), 0);
  EXPECT_THAT(help, HasSubstr("examples:"));
  EXPECT_THAT(help, HasSubstr("--queue-lease"));
}

TEST(Size, HasBinaryUnits) {
  EXPECT_EQ(parse_size("1048576"), 1048576u);
  EXPECT_EQ(parse_size("1MiB"), 1048576u);
  EXPECT_EQ(parse_size("64KiB"), 65536u);
  for (const char* text : {"", "MiB", "1MB", "-1", "1.5MiB", "99999999999999999GiB"})
    EXPECT_FALSE(parse_size(text)) << text;
}

TEST(AddressText, IsAnIpAddressAndAPort) {
  EXPECT_EQ(parse_address("127.0.0.1:8080"), (Address{"127.0.0.1", 8080}));
  EXPECT_EQ(parse_address("[::1]:0"), (Address{"::1", 0}));
  EXPECT_EQ(parse_address("localhost:1"), (Address{"127.0.0.1", 1}));
  for (const char* text : {"", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "::1:80",
                           "example.com:80", "[127.0.0.1]:80"}) {
    EXPECT_FALSE(parse_address(text)) << text;
  }
}

TEST(SettingNames, AreTheFlagsWithUnderscores) {
  EXPECT_EQ(variable_of("queue-lease"), "MILLRACE_QUEUE_LEASE");
  EXPECT_EQ(key_of("queue-payload-max"), "queue_payload_max");
}

}  // namespace
}  // namespace millrace::app
