#include "event/overflow.h"

#include <gtest/gtest.h>

#include "event/codec_keyed.h"
#include "event/rest.h"
#include "event/testing.h"

namespace millrace::event {
namespace {

using testing::canonical;
using testing::member;
using testing::stored;

// Larger than a reference.
const std::string kText = "\"" + std::string(200, 'y') + "\"";
const std::string kLarge = "\"" + std::string(limits::kOverflowBytes, 'x') + "\"";

Record task_event(const std::string& properties) {
  return stored(
      R"({"eventType":"Task Completed","entityType":"TASK","entityId":"task-1","eventId":"e-1","properties":)" +
      properties + "}");
}

std::optional<Overflow> split(const Record& record, const OverflowSettings& settings = {.bucket = "blobs"}) {
  return split_overflow(record.header, *record.rest, settings);
}

// S0.9
TEST(Overflow, LeavesEventsUpToTheThresholdAlone) {
  Record record = task_event(R"({"output":"x"})");
  const std::size_t more = limits::kOverflowBytes - size_of(record.header, *record.rest);
  record = task_event(R"({"output":"x)" + std::string(more, 'y') + "\"}");
  EXPECT_EQ(size_of(record.header, *record.rest), limits::kOverflowBytes);
  EXPECT_FALSE(split(record));
  EXPECT_TRUE(split(task_event(R"({"output":"x)" + std::string(more + 1, 'y') + "\"}")));
}

// S0.9
TEST(Overflow, MovesTheListedFieldsAndLeavesAReference) {
  const Record record =
      task_event(R"({"requestId":"req-1","outputs":)" + kLarge + R"(,"input":)" + kText + R"(,"durationMs":5})");
  const auto overflow = split(record);
  ASSERT_TRUE(overflow);
  EXPECT_EQ(overflow->blob, (BlobReference{"blobs", "events/req-1/e-1-payload.json"}));
  EXPECT_EQ(overflow->payload, R"({"outputs":)" + kLarge + R"(,"input":)" + kText + "}");
  EXPECT_EQ(member(overflow->rest, "data"), canonical(R"({"requestId":"req-1","durationMs":5,
              "_s3Overflow":{"bucket":"blobs","key":"events/req-1/e-1-payload.json"}})"));
  Record reduced = record;
  reduced.rest = std::make_shared<const std::string>(overflow->rest);
  EXPECT_EQ(member(testing::written(write_keyed, reduced), "properties"), member(overflow->rest, "data"));
}

// S0.9
TEST(Overflow, LeavesWhatIsSmallerThanTheReference) {
  const auto overflow = split(task_event(R"({"outputs":)" + kLarge + R"(,"input":{"a":1},"output":null})"));
  ASSERT_TRUE(overflow);
  EXPECT_EQ(overflow->payload, R"({"outputs":)" + kLarge + "}");
  EXPECT_EQ(member(overflow->rest, "data"), canonical(R"({"input":{"a":1},"output":null,
              "_s3Overflow":{"bucket":"blobs","key":"events/task-1/e-1-payload.json"}})"));
  // The event is large by something else than its data.
  EXPECT_FALSE(split(stored(R"({"type":"t","eventId":"e","metadata":{"m":)" + kLarge + R"(},"data":{"input":1}})")));
}

// S0.9
TEST(Overflow, ComesBack) {
  const Record record = task_event(R"({"requestId":"r","output":)" + kLarge + R"(,"n":1.50})");
  const auto overflow = split(record);
  EXPECT_EQ(overflow_of(*record.rest), std::nullopt);
  EXPECT_EQ(overflow_of(overflow->rest), overflow->blob);
  const auto resolved = resolve_overflow(overflow->rest, overflow->payload);
  ASSERT_TRUE(resolved);
  EXPECT_EQ(canonical(*resolved), canonical(*record.rest));
  EXPECT_EQ(overflow_of(*resolved), std::nullopt);
}

// S0.9
TEST(Overflow, MovesAllDataWhereItsFieldsAreNotEnough) {
  for (const std::string& data :
       {kLarge, "[" + kLarge + "]", R"({"data":)" + kLarge + "}", R"({"other":)" + kLarge + R"(,"output":1})",
        R"({"_s3Overflow":1,"output":)" + kLarge + "}"}) {
    const Record record = task_event(data);
    const auto overflow = split(record);
    ASSERT_TRUE(overflow);
    EXPECT_EQ(overflow->payload, R"({"data":)" + data + "}");
    EXPECT_EQ(overflow->blob.key, "events/task-1/e-1-payload.json");
    EXPECT_EQ(canonical(*resolve_overflow(overflow->rest, overflow->payload)), canonical(*record.rest));
  }
}

TEST(Overflow, MovesBytesToo) {
  const std::string base64(limits::kOverflowBytes + 4, 'A');
  const Record record = stored(R"({"type":"t","eventId":"e","actor":{"data":null},"data_base64":")" + base64 + "\"}");
  const auto overflow = split(record);
  ASSERT_TRUE(overflow);
  EXPECT_EQ(*resolve_overflow(overflow->rest, overflow->payload), *record.rest);
}

TEST(Overflow, KeepsToTheConfiguredFields) {
  const OverflowSettings only_report{.bucket = "b", .fields = {"report"}};
  EXPECT_FALSE(split(task_event(R"({"output":)" + kLarge + "}"), only_report));
  EXPECT_EQ(split(task_event(R"({"report":)" + kLarge + R"(,"output":1})"), only_report)->payload,
            R"({"report":)" + kLarge + "}");
}

TEST(Overflow, MakesOnePathOfWhateverTheSenderCalledThings) {
  const auto key = [](std::string_view request) {
    return split(task_event(R"({"requestId":")" + std::string(request) + R"(","output":)" + kLarge + "}"))->blob.key;
  };
  EXPECT_EQ(key("../../etc"), "events/..%2F..%2Fetc/e-1-payload.json");
  EXPECT_EQ(key(".."), "events/%2E%2E/e-1-payload.json");
  EXPECT_EQ(key("job-1:a"), "events/job-1:a/e-1-payload.json");
  EXPECT_EQ(key(""), "events/task-1/e-1-payload.json");
}

// S0.9
TEST(Overflow, AKeySaysWhoseItIs) {
  const Record record = task_event(R"({"requestId":"r","output":)" + kLarge + "}");
  const auto key = [&](const KeyMarks& marks, std::string id = "e/1~+=%-payload.json") {
    Header header = record.header;
    header.event_id = std::move(id);
    return split_overflow(header, *record.rest, {.bucket = "b"}, marks)->blob.key;
  };
  EXPECT_EQ(owner_of_key(key({})), (KeyOwner{"e/1~+=%-payload.json", std::nullopt}));
  EXPECT_EQ(owner_of_key(key({.digest = "00ff"})), (KeyOwner{"e/1~+=%-payload.json", std::nullopt}));
  EXPECT_EQ(owner_of_key(key({.source = "https://x/y", .digest = "00ff"})),
            (KeyOwner{"e/1~+=%-payload.json", "https://x/y"}));
  EXPECT_NE(key({.source = "a"}), key({.source = "b"}));
  EXPECT_NE(key({.digest = "00"}), key({}));
  const std::string long_id(255, '/');
  EXPECT_EQ(owner_of_key(key({}, long_id)), std::nullopt) << "too long to be said";
  EXPECT_TRUE(holds_digest_of_owner(key({}, long_id)));
  EXPECT_TRUE(holds_digest_of_owner(key({.source = "https://x/y", .digest = "00ff"}, long_id)));
  EXPECT_FALSE(holds_digest_of_owner(key({})));
  EXPECT_NE(key({}, std::string(255, '/')), key({}, std::string(254, '/')));
  for (const char* other :
       {"", "events/", "events/r/-payload.json", "items/q/1-payload.json", "events/a/b/c-payload.json",
        "events-payload.json", "events/r/%zz-payload.json", "events/r/=00-payload.json"}) {
    EXPECT_EQ(owner_of_key(other), std::nullopt) << other;
    EXPECT_FALSE(holds_digest_of_owner(other)) << other;
  }
}

TEST(Overflow, KeysAreShortEnoughForS3) {
  const Record record = task_event(R"({"requestId":")" + std::string(100'000, '/') + R"(","output":)" + kLarge + "}");
  Header header = record.header;
  header.event_id = std::string(limits::kEventIdBytesMax, '/');
  const std::string source(limits::kEventSourceBytesMax, '/');
  const KeyMarks marks{.source = source, .digest = "0123456789abcdef"};
  EXPECT_LE(split_overflow(header, *record.rest, {.bucket = "b"}, marks)->blob.key.size(), 940u);
}

// A sender must not be able to make us fetch what it names.
TEST(Overflow, BelievesNoReferenceThatTheSenderWrote) {
  const Record record = task_event(R"({"_s3Overflow":{"bucket":"blobs","key":"events/x/y-payload.json"}})");
  EXPECT_EQ(overflow_of(*record.rest), std::nullopt);
}

TEST(Overflow, RefusesAPayloadThatIsNoneOfIts) {
  const auto overflow = split(task_event(R"({"output":)" + kLarge + "}"));
  EXPECT_FALSE(resolve_overflow(overflow->rest, "[]"));
  EXPECT_FALSE(resolve_overflow(overflow->rest, "{"));
}

}  // namespace
}  // namespace millrace::event
