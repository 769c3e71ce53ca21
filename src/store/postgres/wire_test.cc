#include "store/postgres/wire.h"

#include <gmock/gmock.h>

namespace millrace::store::postgres {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Timestamp, EveryMillisecondComesBack) {
  for (const std::int64_t ms : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{946'684'799'999},
                                std::int64_t{946'684'800'000}, std::int64_t{1'700'000'000'123},
                                std::int64_t{253'402'300'799'999}, std::int64_t{-62'135'596'800'000}}) {
    EXPECT_EQ(to_ms(from_timestamptz(to_timestamptz(time_from_ms(ms)))), ms);
  }
}

TEST(Timestamp, NeverIsInfinity) {
  EXPECT_EQ(from_timestamptz(to_timestamptz(kNever)), kNever);
  EXPECT_EQ(from_timestamptz(to_timestamptz(Time::min())), Time::min());
}

TEST(Timestamp, BeyondWhatPostgresHoldsBecomesInfinityInsteadOfOverflowing) {
  EXPECT_EQ(from_timestamptz(to_timestamptz(kNever - Millis(1))), kNever);
  EXPECT_EQ(from_timestamptz(to_timestamptz(Time::min() + Millis(1))), Time::min());
}

TEST(Timestamp, MicrosecondsWrittenByHandAreCutOff) {
  EXPECT_EQ(to_ms(from_timestamptz(1'999)), 946'684'800'001);
  EXPECT_EQ(to_ms(from_timestamptz(-1)), 946'684'799'999);
}

// An array of one dimension, its element's type, size 2 and lower bound; each row: length, values, each value: type,
// length, bytes.
TEST(RecordArray, IsWhatPostgresReads) {
  Records records;
  records.add(std::int16_t{7}, std::string("ab"));
  records.add(std::int16_t{8}, std::optional<std::string>());
  const std::string_view expected(
      "\0\0\0\1"
      "\0\0\0\0"
      "\0\1\2\3"
      "\0\0\0\2"
      "\0\0\0\1"
      "\0\0\0\30"
      "\0\0\0\2"
      "\0\0\0\25"
      "\0\0\0\2"
      "\0\7"
      "\0\0\0\31"
      "\0\0\0\2"
      "ab"
      "\0\0\0\26"
      "\0\0\0\2"
      "\0\0\0\25"
      "\0\0\0\2"
      "\0\10"
      "\0\0\0\31"
      "\377\377\377\377",
      20 + 28 + 26);
  EXPECT_EQ(records.array(0x010203), expected);
  EXPECT_EQ(records.size(), 2U);
}

Row row_of(std::string_view bytes) {
  Row row;
  row.push({bytes.data(), static_cast<int>(bytes.size())});
  return row;
}

TEST(TextArray, ComesBackAsItWent) {
  Column column;
  for (const std::string& text : {std::string("a"), std::string(""), std::string("ü\",{}\\")}) column.add(text);
  EXPECT_THAT(row_of(column.array()).texts(), ElementsAre("a", "", "ü\",{}\\"));
}

TEST(TextArray, MayBeEmpty) {
  Column column;
  EXPECT_THAT(row_of(column.array()).texts(), IsEmpty());
}

TEST(TextArray, CutShortIsAnErrorNotAnOverrun) {
  Column column;
  column.add(std::string_view("some text"));
  column.add(std::string_view("more text"));
  const std::string whole(column.array());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(row_of(std::string_view(whole).substr(0, size)).texts(), WireError) << size;
  }
}

TEST(RowFields, AreCheckedForTheirSize) {
  EXPECT_THROW(row_of("123").i32(), WireError);
  EXPECT_THROW(row_of("12345678").uuid(), WireError);
  Row row = row_of("1");
  row.skip();
  EXPECT_THROW(row.boolean(), WireError);
}

TEST(RowFields, NullIsNeverRead) {
  Row row;
  for (int i = 0; i < 2; ++i) row.push({nullptr, -1});
  EXPECT_EQ(row.maybe(&Row::i64), std::nullopt);
  EXPECT_THROW(row.view(), WireError);
}

TEST(Numbers, KeepAll64Bits) { EXPECT_EQ(from_bigint(as_bigint(0xfedc'ba98'7654'3210)), 0xfedc'ba98'7654'3210); }

}  // namespace
}  // namespace millrace::store::postgres
