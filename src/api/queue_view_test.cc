#include "api/queue_view.h"

#include <gtest/gtest.h>

namespace millrace::api {
namespace {

const Time kCreated = *parse_time("2025-12-24T10:30:00Z");

queue::ItemRecord record(queue::Status status) {
  queue::ItemRecord item;
  item.id = ItemId{1001};
  item.status = status;
  item.updated = item.due = kCreated;
  return item;
}

const queue::Body kBody{.title = "Send",
                        .description = "Welcome",
                        .tags = "email,high",
                        .payload = R"({"user_id":12345})",
                        .created = kCreated};

template <class Write>
std::string text_of(Write write) {
  std::string text;
  json::Writer out(text);
  write(out);
  return text;
}

std::string whole(const queue::ItemRecord& item, const queue::Body& body = kBody) {
  return text_of([&](json::Writer& out) {
    out.begin_object();
    write_item_members(out, item, body);
    out.end_object();
  });
}

// S4.1: exactly the fields of S4, in their order.
TEST(ItemView, IsTheSeeds) {
  EXPECT_EQ(whole(record(queue::Status::pending)),
            R"({"id":1001,"title":"Send","description":"Welcome","tags":"email,high","status":"PENDING",)"
            R"("payload":{"user_id":12345},"retry_count":0,"max_retries":3,"next_retry_at":null,)"
            R"("created_at":"2025-12-24T10:30:00.000Z","updated_at":"2025-12-24T10:30:00.000Z"})");
}

TEST(ItemView, ShowsPriorityAndRunAtOnlyWhereSet) {
  queue::ItemRecord item = record(queue::Status::pending);
  item.priority = 5;
  item.due += std::chrono::hours(1);
  const std::string text = whole(item);
  EXPECT_NE(text.find(R"("priority":5,"run_at":"2025-12-24T11:30:00.000Z")"), text.npos) << text;
  item.retry_wait = true;
  const std::string retried = whole(item);
  EXPECT_EQ(retried.find("run_at"), retried.npos) << retried;
  EXPECT_NE(retried.find(R"("next_retry_at":"2025-12-24T11:30:00.000Z")"), retried.npos) << retried;
}

// S4.2: the fields of S4 and the lease.
TEST(ClaimView, IsTheSeedsAndTheLease) {
  queue::ItemRecord item = record(queue::Status::processing);
  item.attempt = 2;
  item.retry_count = 1;
  item.lease = {.token = LeaseToken{0xabc}, .until = kCreated + std::chrono::seconds(30), .worker = nullptr};
  EXPECT_EQ(text_of([&](json::Writer& out) { write_claimed(out, item, kBody); }),
            R"({"id":1001,"title":"Send","tags":"email,high","status":"PROCESSING","payload":{"user_id":12345},)"
            R"("retry_count":1,"max_retries":3,"created_at":"2025-12-24T10:30:00.000Z","attempt":2,)"
            R"("lease_token":"0000000000000abc","lease_until":"2025-12-24T10:30:30.000Z"})");
}

// S4.9
TEST(ListView, IsTheSeeds) {
  EXPECT_EQ(text_of([&](json::Writer& out) { write_listed(out, record(queue::Status::completed), kBody); }),
            R"({"id":1001,"title":"Send","status":"COMPLETED","tags":"email,high","retry_count":0,)"
            R"("created_at":"2025-12-24T10:30:00.000Z","updated_at":"2025-12-24T10:30:00.000Z"})");
}

queue::LogEntry entry(queue::Action action) {
  queue::LogEntry log;
  log.id = LogId{5002};
  log.item = ItemId{1001};
  log.action = action;
  log.worker = "worker-02:8742";
  log.created = kCreated;
  return log;
}

// S4.8
TEST(LogView, IsTheSeeds) {
  queue::LogEntry log = entry(queue::Action::completed);
  log.status_code = 200;
  log.execution_time_ms = 1250;
  EXPECT_EQ(text_of([&](json::Writer& out) { write_log_entry(out, log); }),
            R"({"id":5002,"worker_id":"worker-02:8742","action":"COMPLETED","status_code":200,)"
            R"("execution_time_ms":1250,"created_at":"2025-12-24T10:30:00.000Z"})");
  EXPECT_EQ(text_of([&](json::Writer& out) { write_log_entry(out, entry(queue::Action::picked)); }),
            R"({"id":5002,"worker_id":"worker-02:8742","action":"PICKED","created_at":"2025-12-24T10:30:00.000Z"})");
}

std::string outcome_text(const Result<shard::OutcomeRecorded>& outcome) {
  return text_of([&](json::Writer& out) {
    out.begin_object();
    write_outcome_members(out, outcome);
    out.end_object();
  });
}

// S4.5
TEST(OutcomeView, OfASuccessIsTheSeeds) {
  shard::OutcomeRecorded recorded{.entry = entry(queue::Action::completed), .max_retries = 3};
  recorded.entry.status_code = 200;
  recorded.entry.execution_time_ms = 1250;
  EXPECT_EQ(outcome_status(recorded), 200);
  EXPECT_EQ(outcome_text(recorded),
            R"({"event_id":1001,"worker_id":"worker-02:8742","action":"COMPLETED","status_code":200,)"
            R"("execution_time_ms":1250,"created_at":"2025-12-24T10:30:00.000Z"})");
}

// S4.6
TEST(OutcomeView, OfAFailureIsTheSeeds) {
  shard::OutcomeRecorded recorded{.entry = entry(queue::Action::failed), .max_retries = 3};
  recorded.entry.status_code = 500;
  recorded.entry.execution_time_ms = 5000;
  recorded.entry.error_message = "no";
  recorded.entry.next_retry_at = kCreated + std::chrono::minutes(5);
  EXPECT_EQ(outcome_status(recorded), 200);
  EXPECT_EQ(outcome_text(recorded),
            R"({"event_id":1001,"worker_id":"worker-02:8742","action":"FAILED","status_code":500,"error_message":"no",)"
            R"("execution_time_ms":5000,"retry_scheduled":true,"next_retry_at":"2025-12-24T10:35:00.000Z",)"
            R"("created_at":"2025-12-24T10:30:00.000Z"})");
}

// S4.6
TEST(OutcomeView, OfTheLastFailureIsTheSeedsError) {
  shard::OutcomeRecorded recorded{.entry = entry(queue::Action::failed), .max_retries = 3};
  recorded.entry.retry_count = 3;
  EXPECT_EQ(outcome_status(recorded), 400);
  EXPECT_EQ(outcome_text(recorded), R"({"error":"Max retries exceeded","retry_count":3,"max_retries":3})");
}

// S4.16: a refused outcome has the code and the error of the single call.
TEST(OutcomeView, OfARefusalIsTheError) {
  const Result<shard::OutcomeRecorded> refused = fail(Errc::conflict, "held by w:2");
  EXPECT_EQ(outcome_status(refused), 409);
  EXPECT_EQ(outcome_text(refused), R"({"error":"held by w:2"})");
}

// S4.10
TEST(RecordedView, OfAResetHasTheReasonAndNoWorker) {
  queue::LogEntry log = entry(queue::Action::reset);
  log.worker.clear();
  log.reason = "worker_timeout";
  EXPECT_EQ(text_of([&](json::Writer& out) { write_recorded(out, log); }),
            R"({"event_id":1001,"worker_id":null,"action":"RESET","reason":"worker_timeout",)"
            R"("created_at":"2025-12-24T10:30:00.000Z"})");
}

// S4.4
TEST(TouchedView, NamesStartAndHeartbeat) {
  const shard::Touched touched{.item = ItemId{7}, .worker = "w", .attempt = 1, .at = kCreated, .lease_until = kCreated};
  EXPECT_EQ(text_of([&](json::Writer& out) { write_touched(out, touched, shard::Touch::Kind::heartbeat); }),
            R"({"event_id":7,"worker_id":"w","action":"HEARTBEAT","created_at":"2025-12-24T10:30:00.000Z",)"
            R"("lease_until":"2025-12-24T10:30:00.000Z"})");
}

TEST(LeaseTokenText, IsSixteenHexadecimalDigits) {
  EXPECT_EQ(format_token(LeaseToken{1}), "0000000000000001");
  EXPECT_EQ(parse_token("ffffffffffffffff"), LeaseToken{~std::uint64_t{0}});
  for (const char* text : {"", "1", "000000000000000g", "00000000000000001", "0x00000000000001", "-000000000000001"}) {
    EXPECT_EQ(parse_token(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace millrace::api
