#include "store/record_codec.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace millrace::store {
namespace {

constexpr auto kMostU64 = std::numeric_limits<std::uint64_t>::max();
constexpr ItemName kName{"acme", "events", ItemId{7}};

queue::ItemRecord extreme_item() {
  queue::ItemRecord record;
  record.lane = std::make_shared<const queue::LaneKey>(
      queue::LaneKey{{TenantId::trusted("acme"), "events"}, "", {"", "a", std::string(200, 't')}});
  record.group = std::make_shared<const queue::GroupKey>(queue::GroupKey{"g", queue::GroupMode::next_on_error});
  record.id = kName.id;
  record.retry = {queue::Backoff::exponential, false, Millis::min(), Millis::max()};
  record.priority = std::numeric_limits<std::int32_t>::min();
  record.max_retries = record.retry_count = record.attempt = std::numeric_limits<std::uint32_t>::max();
  record.status = queue::Status::cancelled;
  record.placement = queue::Placement::done;
  record.retry_wait = true;
  record.due = kNever;
  record.updated = Time::min();
  record.lease = {LeaseToken{kMostU64}, kNever, std::make_shared<const std::string>("")};
  return record;
}

TEST(RecordCodec, ItemKeepsTheExtremesOfEveryField) {
  const auto record = extreme_item();
  std::string bytes;
  encode_item(bytes, record);
  Interner interner;
  const auto back = decode_item(kName, bytes, interner);
  EXPECT_EQ(*back.lane, *record.lane);
  EXPECT_EQ(*back.group, *record.group);
  EXPECT_EQ(back.id, record.id);
  EXPECT_EQ(back.retry, record.retry);
  EXPECT_EQ(back.priority, record.priority);
  EXPECT_EQ(back.max_retries, record.max_retries);
  EXPECT_EQ(back.retry_count, record.retry_count);
  EXPECT_EQ(back.attempt, record.attempt);
  EXPECT_EQ(back.status, record.status);
  EXPECT_EQ(back.placement, record.placement);
  EXPECT_TRUE(back.retry_wait);
  EXPECT_EQ(back.due, record.due);
  EXPECT_EQ(back.updated, record.updated);
  EXPECT_EQ(back.lease.token, record.lease.token);
  EXPECT_EQ(back.lease.until, record.lease.until);
  EXPECT_EQ(*back.lease.worker, "");
  EXPECT_EQ(peek_status(bytes), queue::Status::cancelled);
}

TEST(RecordCodec, ItemsDecodedTogetherShareWhatIsEqual) {
  std::string bytes;
  encode_item(bytes, extreme_item());
  Interner interner;
  const auto one = decode_item(kName, bytes, interner);
  const auto elsewhere = decode_item({"acm", "eevents", ItemId{1}}, bytes, interner);
  const auto two = decode_item(kName, bytes, interner);
  EXPECT_EQ(one.lane, two.lane);
  EXPECT_EQ(one.group, two.group);
  EXPECT_EQ(one.lease.worker, two.lease.worker);
  EXPECT_NE(one.lane, elsewhere.lane);
  EXPECT_EQ(elsewhere.lane->queue.tenant.text(), "acm");
}

struct Sample {
  const char* name;
  std::string bytes;
  std::function<void(std::string_view)> decode;
};

std::vector<Sample> samples() {
  std::vector<Sample> all;
  const auto add = [&](const char* name, auto encode, auto decode) {
    Sample sample{name, {}, decode};
    encode(sample.bytes);
    all.push_back(std::move(sample));
  };
  const auto acme = TenantId::trusted("acme");
  queue::LogEntry entry{.id = LogId{1}, .item = ItemId{2}, .action = queue::Action::failed};
  entry.error_message = "error";
  entry.status_code = -1;
  entry.next_retry_at = kNever;
  add(
      "item", [](auto& out) { encode_item(out, extreme_item()); },
      [](auto bytes) {
        Interner interner;
        decode_item(kName, bytes, interner);
      });
  add(
      "body", [](auto& out) { encode_body(out, {"title", "", "a,b", "{}", kNever}); },
      [](auto bytes) { decode_body(bytes); });
  add(
      "log", [&](auto& out) { encode_log_entry(out, entry); },
      [](auto bytes) { decode_log_entry(ItemId{2}, LogId{1}, bytes); });
  add(
      "dedup", [&](auto& out) { encode_dedup(out, {{acme, shard::DedupKind::job_id, "k"}, kMostU64, "fp", kNever}); },
      [&](auto bytes) { decode_dedup({.tenant = TenantId::trusted("acme")}, bytes); });
  add(
      "counters",
      [&](auto& out) { encode_counters(out, {.tenant = acme, .queues = {{"q", {1, kMostU64}}, {"", {}}}}); },
      [](auto bytes) { decode_counters("acme", bytes); });
  add(
      "document", [&](auto& out) { encode_document(out, {"kind", "key", acme, kMostU64, "{}", kNever}); },
      [](auto bytes) { decode_document("kind", "key", bytes); });
  add(
      "audit", [&](auto& out) { encode_audit(out, {.tenant = acme, .seq = AuditSeq{1}, .hash = "hash"}); },
      [](auto bytes) { decode_audit("acme", AuditSeq{1}, bytes); });
  add(
      "parked", [](auto& out) { encode_parked_ref(out, {queue::Status::pending, kNever}); },
      [](auto bytes) { decode_parked_ref(bytes); });
  add("time", [](auto& out) { encode_time(out, kNever); }, [](auto bytes) { decode_time(bytes); });
  add("number", [](auto& out) { encode_number(out, kMostU64); }, [](auto bytes) { decode_number(bytes); });
  return all;
}

TEST(RecordCodec, WholeRecordsDecode) {
  for (const auto& sample : samples()) EXPECT_NO_THROW(sample.decode(sample.bytes)) << sample.name;
}

TEST(RecordCodec, CountersOfTheFirstVersionAreRead) {
  std::string bytes;
  encode_counters(bytes, {.tenant = TenantId::trusted("acme"), .last_item = 7, .queues = {{"q", {1, 2}}}});
  bytes.front() = 1;
  bytes.pop_back();  // last_removed, a zero, which that version did not have
  const auto counters = decode_counters("acme", bytes);
  EXPECT_EQ(counters.last_item, 7u);
  EXPECT_EQ(counters.last_removed, 0u);
  EXPECT_EQ(counters.queues.size(), 1u);
}

TEST(RecordCodec, RecordCutAnywhereIsCorrupt) {
  for (const auto& sample : samples()) {
    for (std::size_t size = 0; size < sample.bytes.size(); ++size) {
      EXPECT_THROW(sample.decode(std::string_view(sample.bytes).substr(0, size)), CorruptRecord)
          << sample.name << " cut to " << size;
    }
  }
}

TEST(RecordCodec, RecordWithMoreAtItsEndIsCorrupt) {
  for (const auto& sample : samples()) EXPECT_THROW(sample.decode(sample.bytes + '\0'), CorruptRecord) << sample.name;
}

TEST(RecordCodec, UnknownVersionIsNamed) {
  for (auto& sample : samples()) {
    sample.bytes[0] = 9;
    try {
      sample.decode(sample.bytes);
      ADD_FAILURE() << sample.name;
    } catch (const CorruptRecord& error) {
      EXPECT_NE(std::string_view(error.what()).find("version 9"), std::string_view::npos) << sample.name;
    }
  }
}

TEST(RecordCodec, NumberOutsideOfAnEnumIsCorrupt) {
  std::string bytes;
  encode_item(bytes, extreme_item());
  bytes[1] = 5;
  EXPECT_THROW(peek_status(bytes), CorruptRecord);
}

}  // namespace
}  // namespace millrace::store
