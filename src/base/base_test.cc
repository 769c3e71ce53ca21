#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/digest.h"
#include "base/ids.h"
#include "base/time.h"

namespace millrace {
namespace {

TEST(Time, FormatsMillisecondsInUtc) {
  EXPECT_EQ(format_time(time_from_ms(0)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(format_time(time_from_ms(1'766'572'200'007)), "2025-12-24T10:30:00.007Z");
}

TEST(Time, ParsesOffsetsAndFractions) {
  EXPECT_EQ(parse_time("2025-12-24T10:30:00Z"), time_from_ms(1'766'572'200'000));
  EXPECT_EQ(parse_time("2025-12-24T11:30:00.0079+01:00"), time_from_ms(1'766'572'200'007));
  EXPECT_EQ(parse_time("2025-12-24 10:30:00.5z"), time_from_ms(1'766'572'200'500));
}

TEST(Time, RefusesWhatIsNoInstant) {
  for (const char* text : {"", "2025-12-24", "2025-12-24T10:30:00", "2025-02-30T10:30:00Z", "2025-12-24T24:00:00Z",
                           "2025-12-24T10:30:00+25:00", "2025-12-24T10:30:00.Z", "1969-12-31T23:59:59Z",
                           "2025-12-24T10:30:00Zx", "x025-12-24T10:30:00Z", "1970-01-01T00:00:00+01:00"}) {
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
  }
}

TEST(Duration, ReadsUnitsAndRefusesNonsense) {
  EXPECT_EQ(parse_duration("250ms"), Millis(250));
  EXPECT_EQ(parse_duration("30s"), Millis(30'000));
  EXPECT_EQ(parse_duration("90"), Millis(90'000));
  EXPECT_EQ(parse_duration("5m"), Millis(300'000));
  EXPECT_EQ(parse_duration("30d"), Millis(2'592'000'000));
  for (const char* text : {"", "s", "-5s", "5 s", "5y", "99999999999999999d"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
  for (const auto ms : {0, 250, 1000, 90'000, 300'000, 7'200'000, 86'400'000}) {
    EXPECT_EQ(parse_duration(format_duration(Millis(ms))), Millis(ms));
  }
}

TEST(Tenant, AcceptsOnlySafeNames) {
  EXPECT_TRUE(TenantId::parse("a"));
  EXPECT_TRUE(TenantId::parse("acme.eu_1-x"));
  EXPECT_TRUE(TenantId::parse(std::string(63, 'a')));
  for (const std::string& text : {std::string(), std::string("-a"), std::string("A"), std::string("a b"),
                                  std::string("a/b"), std::string(64, 'a'), std::string("a\0b", 3)}) {
    EXPECT_FALSE(TenantId::parse(text)) << text;
  }
}

TEST(Tsid, IsThirteenCharactersAndGrows) {
  TsidSource source(ShardId{5});
  std::uint64_t last = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t next = source.next(1'766'572'200'000 - i % 3);  // also when the clock steps back
    EXPECT_GT(next, last);
    EXPECT_EQ(parse_tsid(format_tsid(next)), next);
    last = next;
  }
  EXPECT_EQ(format_tsid(last).size(), 13u);
  TsidSource restarted(ShardId{5});
  restarted.resume_after(last);
  EXPECT_GT(restarted.next(0), last);
}

TEST(Tsid, RefusesWhatIsNone) {
  for (const char* text : {"", "0123456789AB", "0123456789ABCD", "0123456789AB!", "ZZZZZZZZZZZZZ"}) {
    EXPECT_EQ(parse_tsid(text), std::nullopt) << text;
  }
}

TEST(Uuid, HasVersionSevenAndTime) {
  const std::string id = make_uuid_v7(0x0123456789ab, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
  EXPECT_EQ(id, "01234567-89ab-7fff-bfff-ffffffffffff");
}

// RFC 9562, appendix A.4.
TEST(Uuid, OfANameMatchesTheKnownAnswer) {
  const auto dns = parse_uuid("6ba7b810-9dad-11d1-80b4-00c04fd430c8");
  ASSERT_TRUE(dns);
  EXPECT_EQ(make_uuid_v5(*dns, "www.example.com"), "2ed6657d-e927-568b-95e1-2665a8aea6a2");
  EXPECT_NE(make_uuid_v5(*dns, "www.example.org"), make_uuid_v5(*dns, "www.example.com"));
}

TEST(Uuid, ReadsTheUsualTextOnly) {
  EXPECT_EQ(parse_uuid("6BA7B810-9DAD-11D1-80B4-00C04FD430C8"), parse_uuid("6ba7b810-9dad-11d1-80b4-00c04fd430c8"));
  for (const char* text : {"", "6ba7b810-9dad-11d1-80b4-00c04fd430c", "6ba7b810-9dad-11d1-80b4-00c04fd430c88",
                           "6ba7b8109-dad-11d1-80b4-00c04fd430c8", "6ba7b810-9dad-11d1-80b4-00c04fd430cg"}) {
    EXPECT_EQ(parse_uuid(text), std::nullopt) << text;
  }
}

TEST(Bytes, ReadsBackWhatWasWritten) {
  std::string bytes;
  put_u8(bytes, 250);
  put_u16_be(bytes, 65'000);
  put_u64_be(bytes, ~std::uint64_t{0});
  for (const std::uint64_t v : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, ~std::uint64_t{0}}) {
    put_varint(bytes, v);
  }
  for (const std::int64_t v : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN, INT64_MAX}) put_zigzag(bytes, v);
  put_string(bytes, std::string("a\0b", 3));
  ByteReader reader(bytes);
  EXPECT_EQ(reader.u8(), 250);
  EXPECT_EQ(reader.u16_be(), 65'000);
  EXPECT_EQ(reader.u64_be(), ~std::uint64_t{0});
  for (const std::uint64_t v : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, ~std::uint64_t{0}}) {
    EXPECT_EQ(reader.varint(), v);
  }
  for (const std::int64_t v : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN, INT64_MAX}) EXPECT_EQ(reader.zigzag(), v);
  EXPECT_EQ(reader.string(), std::string_view("a\0b", 3));
  EXPECT_TRUE(reader.done());
  EXPECT_THROW(reader.u8(), CorruptRecord);
}

TEST(Bytes, RefusesWhatIsCutShortOrTooLong) {
  EXPECT_THROW(ByteReader("\x05"
                          "ab")
                   .string(),
               CorruptRecord);
  EXPECT_THROW(ByteReader(std::string(11, '\xff')).varint(), CorruptRecord);
}

TEST(Digest, MatchesTheKnownAnswer) {
  EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_TRUE(equal_secret("a", "a"));
  EXPECT_FALSE(equal_secret("a", "b"));
  EXPECT_FALSE(equal_secret("a", "aa"));
}

}  // namespace
}  // namespace millrace
