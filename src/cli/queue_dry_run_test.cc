// --dry-run of `millrace queue …`: what is said, and that nothing but reads is sent.
#include "cli/queue_dry_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/fake_session.h"

namespace millrace::cli {
namespace {

using testing::HasSubstr;

class DryRun : public testing::Test, protected FakeSession {
 protected:
  // The command with --dry-run.
  int foresee(std::vector<std::string> args) {
    args.insert(args.begin(), "queue");
    args.emplace_back("--dry-run");
    out.str("");
    err.str("");
    const int code = run(std::move(args));
    for (const Call& call : calls) EXPECT_EQ(call.method, http::Method::get) << call.target;
    return code;
  }
  void will_show(const std::string& status, const std::string& log, int retry_count = 0) {
    will_answer(200, R"({"id":7,"status":")" + status + R"(","max_retries":3,"retry_count":)" +
                         std::to_string(retry_count) + R"(,"logs":[)" + log + "]}");
  }
  static constexpr const char* kPicked = R"({"action":"PICKED","worker_id":"w"})";
};

TEST_F(DryRun, ResetSaysWhatTheItemWouldBe) {  // S4.10
  will_show("FAILED", "");
  EXPECT_EQ(foresee({"reset", "7", "--reason", "r"}), 0);
  EXPECT_EQ(calls.at(0).target, "/events/7?include_logs=true");
  EXPECT_EQ(out.str(), "item 7 is FAILED, it would be PENDING, due now\n");
  EXPECT_EQ(err.str(), "nothing was changed: --dry-run\n");
  will_show("FAILED", "");
  EXPECT_EQ(foresee({"reset", "7", "--json"}), 0);
  EXPECT_EQ(out.str(),
            "{\"dry_run\":true,\"action\":\"reset\",\"id\":7,\"status\":\"FAILED\",\"would_be\":\"PENDING\"}\n");
}

TEST_F(DryRun, WhatWouldBeRefusedExits1) {
  will_show("COMPLETED", "");
  EXPECT_EQ(foresee({"reset", "7"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("item 7 is COMPLETED and can't be reset"));
  will_answer(404, R"({"error":"there is no event 7"})");
  EXPECT_EQ(foresee({"reset", "7"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("there is no event 7"));
  will_show("PROCESSING", kPicked);
  EXPECT_EQ(foresee({"complete", "7", "--worker", "other"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("held by worker w"));
  will_show("PENDING", "");
  EXPECT_EQ(foresee({"start", "7", "--worker", "w"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("item 7 is PENDING; worker w does not hold it"));
  EXPECT_EQ(foresee({"heartbeat", "7"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("--worker is required"));
}

TEST_F(DryRun, TheHoldersCallsAreForeseen) {  // S4.4 to S4.6
  will_show("PROCESSING", kPicked);
  EXPECT_EQ(foresee({"complete", "7", "--worker", "w"}), 0);
  EXPECT_EQ(out.str(), "item 7 is PROCESSING, it would be COMPLETED\n");
  will_show("PROCESSING", std::string(kPicked) + R"(,{"action":"STARTED","worker_id":"w"})");
  EXPECT_EQ(foresee({"heartbeat", "7", "--worker", "w"}), 0);
  EXPECT_EQ(out.str(), "item 7 is PROCESSING, it would be leased for longer\n");
  will_show("PROCESSING", kPicked, 1);
  EXPECT_EQ(foresee({"fail", "7", "--worker", "w"}), 0);
  EXPECT_EQ(out.str(), "item 7 is PROCESSING, it would be PENDING, to be tried again\n");
  will_show("PROCESSING", kPicked, 2);
  EXPECT_EQ(foresee({"fail", "7", "--worker", "w"}), 0);
  EXPECT_EQ(out.str(), "item 7 is PROCESSING, it would be FAILED after 3 tries\n");
}

TEST_F(DryRun, AReportThatWasMadeBeforeChangesNothing) {  // S4.7
  const std::string log = std::string(kPicked) + R"(,{"action":"FAILED","worker_id":"w"})";
  will_show("PENDING", log, 1);
  EXPECT_EQ(foresee({"fail", "7", "--worker", "w", "--json"}), 0);
  EXPECT_THAT(out.str(), HasSubstr(R"("would_be":"PENDING")"));
  will_show("PENDING", log, 1);
  EXPECT_EQ(foresee({"complete", "7", "--worker", "w"}), 1);
}

TEST_F(DryRun, ClaimCountsWhatWaits) {  // S4.2
  will_answer(200, R"({"events":[{"id":9}],"total":17})");
  EXPECT_EQ(foresee({"claim", "--tags", "a,b", "--limit", "3"}), 0);
  EXPECT_EQ(calls.at(0).target, "/events?status=PENDING&tags=a%2Cb&limit=1");
  EXPECT_EQ(out.str(), "17 items PENDING with tags a,b; up to 3 of them would be claimed, those that are due\n");
  will_answer(200, R"({"events":[{"id":9}],"total":2})");
  EXPECT_EQ(foresee({"claim", "--tags", "a", "--limit", "3", "--json"}), 0);
  EXPECT_EQ(out.str(), "{\"dry_run\":true,\"action\":\"claim\",\"pending\":2,\"would_claim_max\":2}\n");
  will_answer(200, R"({"events":[],"total":0})");
  EXPECT_EQ(foresee({"claim", "--tags", "a"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("nothing is ready"));
}

TEST_F(DryRun, AddSendsNothing) {  // S4.1, S4.16
  EXPECT_EQ(foresee({"add", "--title", "a", "--payload", "[1, 2]"}), 0);
  EXPECT_EQ(out.str(), "one item would be added: {\"title\":\"a\",\"payload\":[1,2]}\n");
  EXPECT_EQ(foresee({"add", "--title", "a", "--json"}), 0);
  EXPECT_EQ(out.str(), "{\"dry_run\":true,\"action\":\"add\",\"item\":{\"title\":\"a\"}}\n");
  EXPECT_EQ(foresee({"add", "--title", "a", "--payload", "{oops"}), 2);
  in.str("{\"title\":\"1\"}\n\n{\"title\":\"2\"}\n");
  EXPECT_EQ(foresee({"add", "--from", "-"}), 0);
  EXPECT_EQ(out.str(), "2 items would be added\n");
  in.clear();
  in.str("{\"title\":\"1\"}\n{oops\n");
  EXPECT_EQ(foresee({"add", "--from", "-"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("line 2"));
  EXPECT_TRUE(calls.empty());
  EXPECT_TRUE(places.empty());
}

}  // namespace
}  // namespace millrace::cli
