// The arguments and the output of `millrace queue …`, against prepared answers.
#include "cli/queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/fake_session.h"

namespace millrace::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class QueueCommand : public testing::Test, protected FakeSession {};

TEST_F(QueueCommand, AddSendsWhatIsSaidAndNothingElse) {  // S4.1
  will_answer(201, R"({"id":7,"title":"a"})");
  EXPECT_EQ(run({"queue", "add", "--title", "a", "--tags", "x,y", "--payload", R"({"n": [1, 2]})", "--max-retries", "5",
                 "--priority", "-3", "--run-at", "2026-01-01T00:00:00Z", "--idempotency-key", "k"}),
            0);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].method, http::Method::post);
  EXPECT_EQ(calls[0].target, "/events");
  EXPECT_EQ(calls[0].body, R"({"title":"a","tags":"x,y","payload":{"n":[1,2]},"max_retries":5,"priority":-3,)"
                           R"("run_at":"2026-01-01T00:00:00Z","idempotency_key":"k"})");
  EXPECT_EQ(out.str(), "added item 7\n");
}

TEST_F(QueueCommand, AddReadsThePayloadFromStdin) {
  in.str("{\"big\":\n true}");
  EXPECT_EQ(run({"queue", "add", "--title", "a", "--payload", "-"}), 0);
  EXPECT_EQ(calls.at(0).body, R"({"title":"a","payload":{"big":true}})");
}

TEST_F(QueueCommand, AddRefusesAPayloadThatIsNoJsonBeforeSendingIt) {
  EXPECT_EQ(run({"queue", "add", "--title", "a", "--payload", "{oops"}), 2);
  EXPECT_TRUE(calls.empty());
  EXPECT_THAT(err.str(), HasSubstr("--payload is no JSON"));
  EXPECT_EQ(run({"queue", "add", "--title", "a", "--payload", "@/nowhere/at/all"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("/nowhere/at/all cannot be read"));
}

TEST_F(QueueCommand, AddNeedsATitle) {
  EXPECT_EQ(run({"queue", "add", "--tags", "x"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("--title is required"));
}

TEST_F(QueueCommand, AddSaysWhenTheItemWasThereBefore) {
  will_answer(200, R"({"id":7})");
  EXPECT_EQ(run({"queue", "add", "--title", "a", "--idempotency-key", "k"}), 0);
  EXPECT_EQ(out.str(), "existing item 7\n");
}

TEST_F(QueueCommand, ARefusalIsSaidOnStderrAndExits1) {
  will_answer(422, R"({"error":"\"title\" must not be empty","field":"title"})");
  EXPECT_EQ(run({"queue", "add", "--title", ""}), 1);
  EXPECT_EQ(err.str(), "millrace: \"title\" must not be empty\n");
  EXPECT_EQ(out.str(), "");
}

TEST_F(QueueCommand, AnUnreachableServerExits3) {
  unreachable = true;
  EXPECT_EQ(run({"queue", "stats"}), 3);
  EXPECT_THAT(err.str(), HasSubstr("millrace: no answer"));
}

TEST_F(QueueCommand, ClaimNamesTheWorkerAndPrintsAnArray) {  // S4.2, S4.3
  will_answer(200, R"([{"id":7,"lease_token":"00000000000000aa"}])");
  EXPECT_EQ(run({"queue", "claim", "--tags", "a,b", "--worker", "w 1", "--limit", "10", "--json"}), 0);
  EXPECT_EQ(calls.at(0).target, "/events/subscribe?tags=a%2Cb&worker_id=w%201&limit=10");
  EXPECT_EQ(out.str(), "[{\"id\":7,\"lease_token\":\"00000000000000aa\"}]\n");
}

TEST_F(QueueCommand, ClaimDefaultsToHostAndPid) {
  will_answer(204, "");
  run({"queue", "claim", "--tags", "a"});
  EXPECT_THAT(calls.at(0).target, HasSubstr("&worker_id=" + percent_encoded(own_worker_id()) + "&limit=1"));
}

TEST_F(QueueCommand, ClaimOfNothingExits1WithAnEmptyArray) {
  will_answer(204, "");
  EXPECT_EQ(run({"queue", "claim", "--tags", "a", "--worker", "w", "--json"}), 1);
  EXPECT_EQ(out.str(), "[]\n");
  EXPECT_THAT(err.str(), HasSubstr("nothing is ready"));
}

TEST_F(QueueCommand, ALongWaitIsAskedForInPieces) {  // S4.3
  will_answer(204, "");
  will_answer(204, "");
  will_answer(200, R"([{"id":1}])");
  EXPECT_EQ(run({"queue", "claim", "--tags", "a", "--worker", "w", "--wait", "45s"}), 0);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_THAT(calls[0].target, HasSubstr("wait=20"));
  EXPECT_THAT(calls[1].target, HasSubstr("wait=20"));
  EXPECT_THAT(calls[2].target, HasSubstr("wait=5"));
  EXPECT_GT(calls[0].timeout, std::chrono::seconds(20));
}

TEST_F(QueueCommand, ClaimRefusesAWaitThatIsNoDuration) {
  EXPECT_EQ(run({"queue", "claim", "--tags", "a", "--wait", "soon"}), 2);
  EXPECT_EQ(run({"queue", "claim", "--tags", ","}), 2);
  EXPECT_EQ(run({"queue", "list", "--tags", " , "}), 2);
  EXPECT_EQ(run({"queue", "claim", "--tags", "a", "--limit", "0"}), 2);
  EXPECT_EQ(run({"queue", "claim"}), 2);
  EXPECT_TRUE(calls.empty());
}

TEST_F(QueueCommand, TheHolderIsNamedByOptionOrEnvironment) {  // S4.4
  EXPECT_EQ(run({"queue", "start", "7"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("--worker is required"));
  environment["MILLRACE_WORKER"] = "w";
  EXPECT_EQ(run({"queue", "start", "7"}), 0);
  EXPECT_EQ(calls.at(0).target, "/events/7/start");
  EXPECT_EQ(calls.at(0).body, R"({"worker_id":"w"})");
  EXPECT_EQ(run({"queue", "heartbeat", "7", "--worker", "v", "--attempt", "2", "--lease-token", "00ff"}), 0);
  EXPECT_EQ(calls.at(1).target, "/events/7/heartbeat");
  EXPECT_EQ(calls.at(1).body, R"({"worker_id":"v","attempt":2,"lease_token":"00ff"})");
}

TEST_F(QueueCommand, CompleteSendsTheOutcome) {  // S4.5
  EXPECT_EQ(run({"queue", "complete", "7", "--worker", "w", "--status-code", "0", "--execution-time-ms", "12"}), 0);
  EXPECT_EQ(calls.at(0).target, "/events/7/complete");
  EXPECT_EQ(calls.at(0).body, R"({"worker_id":"w","status_code":0,"execution_time_ms":12})");
}

TEST_F(QueueCommand, TheLastFailureIsRecordedSoItIsNoRefusal) {  // S4.6
  will_answer(400, R"({"error":"Max retries exceeded","retry_count":3,"max_retries":3})");
  EXPECT_EQ(run({"queue", "fail", "7", "--worker", "w", "--error", "away"}), 0);
  EXPECT_EQ(calls.at(0).body, R"({"worker_id":"w","error_message":"away"})");
  EXPECT_EQ(out.str(), "item 7 is FAILED after 3 tries\n");
}

TEST_F(QueueCommand, AMalformedFailureIsARefusal) {
  will_answer(400, R"({"error":"malformed"})");
  EXPECT_EQ(run({"queue", "fail", "7", "--worker", "w"}), 1);
}

TEST_F(QueueCommand, AnItemIsNamedByItsNumber) {
  for (const char* wrong : {"seven", "0", "-1", "9007199254740992", "7x"}) {
    EXPECT_EQ(run({"queue", "show", wrong}), 2) << wrong;
  }
  EXPECT_TRUE(calls.empty());
  EXPECT_EQ(run({"queue", "show", "9007199254740991", "--logs"}), 0);
  EXPECT_EQ(calls.at(0).target, "/events/9007199254740991?include_logs=true");
}

TEST_F(QueueCommand, ShowPrintsPayloadAndLog) {  // S4.8
  will_answer(200, R"({"id":7,"title":"t","status":"FAILED","payload":{"a":1},
    "logs":[{"action":"FAILED","worker_id":"w","error_message":"broke","created_at":"2026-01-01T00:00:00.000Z"}]})");
  EXPECT_EQ(run({"queue", "show", "7", "--logs"}), 0);
  EXPECT_THAT(out.str(), HasSubstr("status         FAILED\n"));
  EXPECT_THAT(out.str(), HasSubstr("payload\n  {\n    \"a\": 1\n  }\n"));
  EXPECT_THAT(out.str(), HasSubstr("broke"));
}

TEST_F(QueueCommand, ListAsksForOnePage) {  // S4.9
  will_answer(200, R"({"events":[{"id":7,"title":"t","status":"PENDING","tags":"a"}],"total":9,"next_cursor":"c2"})");
  EXPECT_EQ(run({"queue", "list", "--status", "pending", "--tags", "a", "--limit", "1", "--cursor", "c1"}), 0);
  EXPECT_EQ(calls.at(0).target, "/events?status=PENDING&tags=a&cursor=c1&limit=1");
  EXPECT_THAT(out.str(), HasSubstr("PENDING"));
  EXPECT_THAT(err.str(), HasSubstr("9 in all; the next page: --cursor c2"));
}

TEST_F(QueueCommand, ListRefusesAStatusThatIsNone) {
  EXPECT_EQ(run({"queue", "list", "--status", "DONE"}), 2);
  EXPECT_TRUE(calls.empty());
}

TEST_F(QueueCommand, ListAllFollowsTheCursorIntoOneDocument) {
  will_answer(200, R"({"events":[{"id":3},{"id":2}],"total":3,"next_cursor":"c"})");
  will_answer(200, R"({"events":[{"id":1}],"total":3})");
  EXPECT_EQ(run({"queue", "list", "--all", "--json"}), 0);
  EXPECT_EQ(out.str(), "{\"events\":[{\"id\":3},{\"id\":2},{\"id\":1}],\"total\":3}\n");
  EXPECT_EQ(calls.at(1).target, "/events?cursor=c&limit=1000");
}

TEST_F(QueueCommand, AnEmptyListIsNoFailure) {
  will_answer(200, R"({"events":[],"total":0})");
  EXPECT_EQ(run({"queue", "list"}), 0);
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(err.str(), "no items\n");
}

TEST_F(QueueCommand, ResetCarriesTheReason) {  // S4.10
  EXPECT_EQ(run({"queue", "reset", "7", "--reason", "worker gone"}), 0);
  EXPECT_EQ(calls.at(0).target, "/events/7/reset?reason=worker%20gone");
  EXPECT_EQ(calls.at(0).method, http::Method::post);
}

TEST_F(QueueCommand, StatsShowsCountsAndAllWorkers) {
  will_answer(200, R"({"PENDING":2,"FAILED":1,"total":3})");
  will_answer(200, R"({"items":[{"worker_id":"v","held":1,"last_seen":"2026-01-01T00:00:00.000Z","stale":true}],
    "nextCursor":"c"})");
  will_answer(200, R"({"items":[{"worker_id":"w","held":0,"stale":false}],"nextCursor":null})");
  EXPECT_EQ(run({"queue", "stats"}), 0);
  EXPECT_THAT(out.str(), HasSubstr("PENDING      2"));
  EXPECT_THAT(out.str(), HasSubstr("stale"));
  EXPECT_THAT(out.str(), HasSubstr("alive"));
  EXPECT_EQ(calls.at(2).target, "/api/workers?limit=1000&cursor=c");
}

TEST_F(QueueCommand, ShowSaysWhenTheLogWasCut) {  // S4.8
  will_answer(200, R"({"id":7,"status":"PENDING","logs":[{"action":"RESET"}],"logs_truncated":true})");
  EXPECT_EQ(run({"queue", "show", "7", "--logs"}), 0);
  EXPECT_EQ(err.str(), "older entries of the log are not shown\n");
}

TEST_F(QueueCommand, TitlesCannotControlTheTerminal) {
  will_answer(200, "{\"events\":[{\"id\":1,\"title\":\"\\u001b[2Jgone\",\"status\":\"PENDING\"}],\"total\":1}");
  run({"queue", "list"});
  EXPECT_THAT(out.str(), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace millrace::cli
