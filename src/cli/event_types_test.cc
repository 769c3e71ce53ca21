// `event-types …` against prepared answers (S3.5).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/fake_session.h"

namespace millrace::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr const char* kType =
    R"({"specVersions":[{"version":"1.0","status":"CURRENT","schema":{"type":"object","required":["n"]}}]})";
constexpr const char* kStored =
    R"({"id":"order.made","code":"order.made","name":"n","version":4,"specVersions":[{"version":"1.0","status":"CURRENT",
        "schemaType":"JSON_SCHEMA","schema":"{\"type\":\"object\",\"required\":[\"n\"]}"}]})";
constexpr const char* kTrial = R"({"compatible":true,"changes":[],"dryRun":{"refused":1,"scanned":2,"skipped":0,
    "complete":true,"sample":[{"eventId":"e1","type":"order.made","time":"T",
    "violations":[{"pointer":"/data","message":"lacks n"},{"pointer":"/x","message":"m"}]}]}})";

class EventTypesCommand : public testing::Test, protected FakeSession {
 protected:
  int put(const std::string& text, std::vector<std::string> more = {}) {
    in.clear();
    in.str(text);
    std::vector<std::string> command = {"event-types", "put", "order.made", "--file", "-"};
    command.insert(command.end(), more.begin(), more.end());
    return run(command);
  }
};

TEST_F(EventTypesCommand, ListShowsTheVersions) {
  will_answer(200, R"({"items":[{"code":"a.done","status":"CURRENT","strict":true,"version":2,"specVersions":[
    {"version":"1.0","status":"DEPRECATED"},{"version":"1.1","status":"CURRENT"}]}],"nextCursor":null})");
  EXPECT_EQ(run({"event-types", "list", "--status", "current"}), 0);
  EXPECT_EQ(calls.at(0).target, "/api/event-types?status=CURRENT&limit=1000");
  EXPECT_EQ(out.str(),
            "CODE    STATUS   STRICT  VERSION  UPDATED  SCHEMAS\n"
            "a.done  CURRENT  yes           2           1.0 DEPRECATED, 1.1 CURRENT\n");
  EXPECT_EQ(run({"event-types", "list", "--status", "gone"}), 2);
}

TEST_F(EventTypesCommand, ShowPrintsEverySchema) {
  will_answer(200, R"({"code":"a.done","status":"CURRENT","strict":false,"version":2,"specVersions":[
    {"version":"1.0","status":"DEPRECATED","schemaType":"JSON_SCHEMA","schema":"{\"type\":\"object\"}"},
    {"version":"2.0","status":"CURRENT","schemaType":"PROTO","message":"A","describes":"envelope",
     "schema":"message A {\n}\u001b[2J"}]})");
  EXPECT_EQ(run({"event-types", "show", "shop:orders:order:made"}), 0);
  EXPECT_EQ(calls.at(0).target, "/api/event-types/shop%3Aorders%3Aorder%3Amade");
  EXPECT_THAT(out.str(), HasSubstr("2.0     CURRENT     PROTO        A        envelope\n"));
  EXPECT_THAT(out.str(), HasSubstr("schema 1.0\n  {\n    \"type\": \"object\"\n  }\n"));
  EXPECT_THAT(out.str(), HasSubstr("schema 2.0\n  message A {\n  }?[2J\n"));
}

TEST_F(EventTypesCommand, PutAndDelete) {
  will_answer(201, R"({"code":"order.made","version":1})");
  will_answer(204, "");
  EXPECT_EQ(put(kType, {"--if-match", "0"}), 0);
  EXPECT_EQ(calls.at(0).target, "/api/event-types/order.made");
  EXPECT_EQ(calls.at(0).body, kType);
  EXPECT_THAT(calls.at(0).headers, ElementsAre(Pair("If-None-Match", "*")));
  EXPECT_EQ(run({"event-types", "delete", "order.made", "--json"}), 0);
  EXPECT_EQ(out.str(), "event type order.made is created, version 1\n{\"code\":\"order.made\",\"deleted\":true}\n");
}

TEST_F(EventTypesCommand, ADryRunShowsWhatWouldHaveBeenRefused) {  // S2.5
  will_answer(404, "{}");
  will_answer(200, kTrial);
  EXPECT_EQ(put(kType, {"--dry-run", "--from", "F"}), 0);
  EXPECT_EQ(calls.at(0).method, http::Method::get);
  EXPECT_EQ(calls.at(1).target, "/api/schemas/check");
  const std::string schema = R"("{\"type\":\"object\",\"required\":[\"n\"]}")";
  EXPECT_EQ(calls.at(1).body, R"({"type":"order.made","old":)" + schema + R"(,"new":)" + schema +
                                  R"(,"schemaType":"JSON_SCHEMA","describes":"data","dryRun":{"from":"F"}})");
  EXPECT_EQ(out.str(),
            "EVENT ID  TIME  TYPE        SUBJECT  WHY\n"
            "e1        T     order.made           /data: lacks n\n"
            "1 of 2 stored events would be refused by schema 1.0\n"
            "event type order.made would be created\n");
  EXPECT_EQ(err.str(), "nothing was saved: --dry-run\n");
}

TEST_F(EventTypesCommand, ADryRunIsOneDocumentForScripts) {
  will_answer(200, kStored);
  will_answer(200, R"({"dryRun":{"refused":0}})");
  EXPECT_EQ(put(kType, {"--dry-run", "--json"}), 0);
  EXPECT_EQ(out.str(), R"({"dryRun":true,"code":"order.made","version":4,"schemaVersion":"1.0","events":{"refused":0}})"
                       "\n");
}

TEST_F(EventTypesCommand, ADryRunRefusesWhatTheServerWould) {  // S3.5
  will_answer(200, kStored);
  EXPECT_EQ(put(R"({"specVersions":[{"version":"1.0","status":"CURRENT","schema":{"type":"array"}}]})", {"--dry-run"}),
            1);
  EXPECT_THAT(err.str(), HasSubstr("version 1.0 is CURRENT; its schema can change only while it is FINALISING"));
  for (const char* wrong : {R"({"strct":true})", "[]", R"({"specVersions":[{"version":"x"}]})", R"({"code":"a.b"})"}) {
    will_answer(404, "{}");
    EXPECT_EQ(put(wrong, {"--dry-run"}), 1) << wrong;
  }
  will_answer(401, R"({"detail":"no key"})");
  EXPECT_EQ(put(kType, {"--dry-run"}), 1);
  EXPECT_EQ(out.str(), "");
  for (const Call& call : calls) EXPECT_EQ(call.method, http::Method::get);
}

TEST_F(EventTypesCommand, ADryRunRefusesABodyThatIsTooLong) {  // S3.5
  const auto document = [](std::size_t bytes) { return R"({"name":")" + std::string(bytes - 11, 'a') + R"("})"; };
  will_answer(404, "{}");
  EXPECT_EQ(put(document(1024 * 1024 + 1), {"--dry-run"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("the body has 1048577 bytes; at most 1048576 are taken here"));
  will_answer(404, "{}");
  EXPECT_EQ(put(document(1024 * 1024), {"--dry-run"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("may have 200 bytes at most"));
}

TEST_F(EventTypesCommand, ADryRunWithoutASchemaInForceSaysWhatThatMeans) {
  will_answer(404, "{}");
  EXPECT_EQ(put("{}", {"--dry-run"}), 0);
  EXPECT_THAT(out.str(), HasSubstr("no schema would check new events"));
  will_answer(404, "{}");
  EXPECT_EQ(put(R"({"strict":true})", {"--dry-run"}), 0);
  EXPECT_THAT(out.str(), HasSubstr("new events would be refused: order.made is strict"));
  EXPECT_EQ(calls.size(), 2u);
}

}  // namespace
}  // namespace millrace::cli
