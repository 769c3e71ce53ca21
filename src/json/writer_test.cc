#include "json/writer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include "json/parse.h"

namespace millrace::json {
namespace {

using namespace std::string_literals;

std::string as_json(std::string_view text) {
  std::string out;
  append_string(out, text);
  return out;
}

TEST(Writer, PlacesCommasAndColons) {
  std::string out = "> ";
  Writer writer(out);
  writer.begin_object();
  writer.key("a");
  writer.begin_array();
  writer.integer(1);
  writer.begin_array();
  writer.end_array();
  writer.begin_object();
  writer.end_object();
  writer.null();
  writer.end_array();
  writer.key("b");
  writer.begin_object();
  writer.member("c", true);
  writer.raw_member("d", "[1, 2]");
  writer.end_object();
  writer.member("e", "f");
  EXPECT_FALSE(writer.complete());
  writer.end_object();
  EXPECT_TRUE(writer.complete());
  EXPECT_EQ(out, R"(> {"a":[1,[],{},null],"b":{"c":true,"d":[1, 2]},"e":"f"})");
}

TEST(Writer, WritesMembersByTheirType) {
  const auto document = parse("[ 1 ]");
  ASSERT_TRUE(document.has_value());
  std::string out;
  Writer writer(out);
  writer.begin_object();
  writer.member("text", std::string("s"));
  writer.member("view", std::string_view("v"));
  writer.member("min", std::numeric_limits<std::int64_t>::min());
  writer.member("max", std::numeric_limits<std::uint64_t>::max());
  writer.member("byte", std::uint8_t{7});
  writer.member("half", 0.5);
  writer.member("nan", std::numeric_limits<double>::quiet_NaN());
  writer.member("no", false);
  writer.member("nothing", nullptr);
  writer.member("id", ItemId{42});
  writer.member("at", time_from_ms(0));
  writer.member("none", std::optional<int>());
  writer.member("some", std::optional<std::string>("x"));
  writer.member_if("left_out", std::optional<int>());
  writer.member_if("put_in", std::optional<int>(3));
  writer.member("value", document->root());
  writer.end_object();
  EXPECT_EQ(out, R"({"text":"s","view":"v","min":-9223372036854775808,"max":18446744073709551615,"byte":7,)"
                 R"("half":0.5,"nan":null,"no":false,"nothing":null,"id":42,"at":"1970-01-01T00:00:00.000Z",)"
                 R"("none":null,"some":"x","put_in":3,"value":[1]})");
  EXPECT_TRUE(parse(out).has_value());
}

TEST(Writer, EscapesWhatMustBeAndNothingElse) {
  EXPECT_EQ(as_json(""), R"("")");
  EXPECT_EQ(as_json("a\"b\\c/d"), R"("a\"b\\c/d")");
  EXPECT_EQ(as_json("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(as_json("\0\x01\x1f\x7f"s), "\"\\u0000\\u0001\\u001f\x7f\"");
  EXPECT_EQ(as_json("\xc3\xa9\xf0\x9f\x98\x80"), "\"\xc3\xa9\xf0\x9f\x98\x80\"");
}

TEST(Writer, MendsInvalidUtf8) {
  EXPECT_EQ(as_json("\xff"), "\"\xef\xbf\xbd\"");
  EXPECT_EQ(as_json("a\xc3(\n\xe2\x82"), "\"a\xef\xbf\xbd(\\n\xef\xbf\xbd\xef\xbf\xbd\"");
  std::string garbage;
  for (int i = 0; i < 300; ++i) garbage.push_back(static_cast<char>(i));
  EXPECT_TRUE(parse_owned(as_json(garbage)).has_value());
}

TEST(Writer, EveryStringReadsBackTheSame) {
  std::mt19937 random(7);
  const std::string_view pieces[] = {
      "a", "\"", "\\", "\n", "\x01", "/", "\xc3\xa9", "\xf0\x9f\x98\x80", "long plain run of text"};
  for (int round = 0; round < 2000; ++round) {
    std::string text(1, '\0');
    for (unsigned i = random() % 20; i > 0; --i) text += pieces[random() % std::size(pieces)];
    const auto document = parse_owned(as_json(text));
    ASSERT_TRUE(document.has_value());
    ASSERT_EQ(document->root().get_string(), text);
  }
}

// Writes a random tree and remembers nothing: the parser must accept it and give back the same bytes.
void write_random(Writer& writer, std::mt19937& random, int depth) {
  switch (random() % (depth > 0 ? 7 : 5)) {
    case 0:
      return writer.null();
    case 1:
      return writer.boolean(random() % 2 == 0);
    case 2:
      return writer.integer(static_cast<std::int64_t>(random()) - (1 << 30));
    case 3:
      return writer.number(static_cast<double>(random()) / 7);
    case 4:
      return writer.string(std::string(random() % 30, static_cast<char>(random() % 128)));
    case 5:
      writer.begin_array();
      for (unsigned i = random() % 5; i > 0; --i) write_random(writer, random, depth - 1);
      return writer.end_array();
    default:
      writer.begin_object();
      for (unsigned i = random() % 5; i > 0; --i) {
        writer.key("\"key\" " + std::to_string(i));
        write_random(writer, random, depth - 1);
      }
      return writer.end_object();
  }
}

TEST(Writer, WhatItWritesIsAcceptedAndCompact) {
  std::mt19937 random(11);
  for (int round = 0; round < 1000; ++round) {
    std::string out;
    Writer writer(out);
    write_random(writer, random, 8);
    ASSERT_TRUE(writer.complete());
    const auto document = parse(out);
    ASSERT_TRUE(document.has_value()) << out;
    std::string again;
    Writer(again).compact(document->root());
    ASSERT_EQ(again, out);
  }
}

TEST(WriterDeathTest, WrongNestingIsABug) {
  std::string out;
  EXPECT_DEATH(Writer(out).end_object(), "innermost level");
  EXPECT_DEATH(Writer(out).key("a"), "stands in an object");
  const auto value_without_key = [&] {
    Writer writer(out);
    writer.begin_object();
    writer.integer(1);
  };
  EXPECT_DEATH(value_without_key(), "needs a key");
  const auto key_without_value = [&] {
    Writer writer(out);
    writer.begin_object();
    writer.key("a");
    writer.end_object();
  };
  EXPECT_DEATH(key_without_value(), "lacks a value");
  const auto two_values = [&] {
    Writer writer(out);
    writer.null();
    writer.null();
  };
  EXPECT_DEATH(two_values(), "one value");
}

}  // namespace
}  // namespace millrace::json
