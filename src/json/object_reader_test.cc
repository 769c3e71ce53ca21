#include "json/object_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "json/parse.h"

namespace millrace::json {
namespace {

using testing::ElementsAre;

class ObjectReaderTest : public testing::Test {
 protected:
  ObjectReader reader(std::string text, std::string path = {}) {
    auto parsed = parse_owned(std::move(text));
    EXPECT_TRUE(parsed.has_value());
    document_ = std::move(*parsed);
    return *ObjectReader::open(document_.root(), std::move(path));
  }

 private:
  Document document_;
};

// S4.12: a wrong type is 422 and names the field.
Error invalid(std::string field, std::string detail) { return {Errc::invalid, std::move(detail), std::move(field)}; }

TEST_F(ObjectReaderTest, ReadsFieldsOfTheRightType) {
  const ObjectReader body = reader(
      R"({"s":"text","i":5,"f":1e2,"b":true,"t":"2025-12-24T10:30:00Z","a":[1],"o":{"x":1},"l":["p","q"],"n":null})");
  EXPECT_EQ(body.required_string("s", 4), "text");
  EXPECT_EQ(*body.optional_string("s", 4), "text");
  EXPECT_EQ(body.required_int("i", 5, 5), 5);
  EXPECT_EQ(*body.optional_int("f", 0, 100), 100);
  EXPECT_EQ(body.required_bool("b"), true);
  EXPECT_EQ(*body.optional_bool("b"), true);
  EXPECT_EQ(body.required_time("t"), time_from_ms(1'766'572'200'000));
  EXPECT_EQ(*body.optional_time("t"), time_from_ms(1'766'572'200'000));
  EXPECT_EQ(body.required_array("a", 1)->raw(), "[1]");
  EXPECT_EQ((*body.optional_array("a", 1))->size(), 1u);
  EXPECT_EQ((*body.optional_object("o"))->required_int("x", 0, 9), 1);
  EXPECT_THAT(**body.optional_strings("l", 2, 1), ElementsAre("p", "q"));
  EXPECT_EQ(body.required_value("n")->kind(), Kind::null);
  EXPECT_EQ(body.optional_value("n")->kind(), Kind::null);
  EXPECT_FALSE(body.optional_value("z").has_value());
}

TEST_F(ObjectReaderTest, NullCountsAsAbsentForOptionalFields) {
  for (const char* text : {R"({"f":null})", "{}"}) {
    const ObjectReader body = reader(text);
    EXPECT_EQ(*body.optional_string("f", 9), std::nullopt);
    EXPECT_EQ(*body.optional_int("f", 0, 9), std::nullopt);
    EXPECT_EQ(*body.optional_bool("f"), std::nullopt);
    EXPECT_EQ(*body.optional_time("f"), std::nullopt);
    EXPECT_FALSE(body.optional_array("f", 9)->has_value());
    EXPECT_FALSE(body.optional_object("f")->has_value());
    EXPECT_FALSE(body.optional_strings("f", 9, 9)->has_value());
  }
}

// S4.12
TEST_F(ObjectReaderTest, SaysWhatIsExpectedAndWhatWasSeen) {
  const ObjectReader body = reader(R"({"title":5,"flag":"yes","list":{},"object":[],"number":"5","at":7,"none":null})");
  EXPECT_EQ(body.required_string("title", 9).error(), invalid("title", R"("title" must be a string, not a number)"));
  EXPECT_EQ(body.optional_string("title", 9).error(), invalid("title", R"("title" must be a string, not a number)"));
  EXPECT_EQ(body.required_string("none", 9).error(), invalid("none", R"("none" must be a string, not null)"));
  EXPECT_EQ(body.required_string("gone", 9).error(), invalid("gone", R"("gone" is required)"));
  EXPECT_EQ(body.required_value("gone").error(), invalid("gone", R"("gone" is required)"));
  EXPECT_EQ(body.optional_bool("flag").error(), invalid("flag", R"("flag" must be true or false, not a string)"));
  EXPECT_EQ(body.optional_array("list", 9).error(), invalid("list", R"("list" must be an array, not an object)"));
  EXPECT_EQ(body.optional_object("object").error(), invalid("object", R"("object" must be an object, not an array)"));
  EXPECT_EQ(body.optional_int("number", 0, 9).error(),
            invalid("number", R"("number" must be an integer from 0 to 9, not a string)"));
  EXPECT_EQ(body.optional_time("at").error(),
            invalid("at", R"("at" must be a time like "2025-12-24T10:30:00Z", not a number)"));
}

// S4.12
TEST_F(ObjectReaderTest, NumbersOutsideTheRangeAreRefusedWithTheRange) {
  const ObjectReader body =
      reader(R"({"high":1001,"low":-1,"part":1.5,"vast":1e400,"long":)" + std::string(99, '9') + "}");
  EXPECT_EQ(body.optional_int("high", 0, 1000).error(),
            invalid("high", R"("high" must be an integer from 0 to 1000, not 1001)"));
  EXPECT_EQ(body.optional_int("low", 0, 1000).error(),
            invalid("low", R"("low" must be an integer from 0 to 1000, not -1)"));
  EXPECT_EQ(body.required_int("part", 0, 1000).error(),
            invalid("part", R"("part" must be an integer from 0 to 1000, not 1.5)"));
  EXPECT_EQ(body.required_int("vast", 0, 1000).error(),
            invalid("vast", R"("vast" must be an integer from 0 to 1000, not 1e400)"));
  EXPECT_EQ(body.required_int("long", 0, 1000).error(),
            invalid("long", R"("long" must be an integer from 0 to 1000, not a number)"));
}

TEST_F(ObjectReaderTest, StringsAreBoundedInBytesAfterUnescaping) {
  const ObjectReader body = reader(R"({"s":"\u00e9\u00e9"})");
  EXPECT_EQ(body.required_string("s", 4), "\xc3\xa9\xc3\xa9");
  EXPECT_EQ(body.required_string("s", 3).error(), invalid("s", R"("s" may have 3 bytes at most, not 4)"));
}

TEST_F(ObjectReaderTest, StringsWithNulAreRefused) {
  const ObjectReader body = reader(R"({"s":"a\u0000b","l":["x","\u0000"]})");
  EXPECT_EQ(body.required_string("s", 9).error(), invalid("s", R"("s" must not contain the character U+0000)"));
  EXPECT_EQ(body.optional_string("s", 9).error(), invalid("s", R"("s" must not contain the character U+0000)"));
  EXPECT_EQ(body.optional_strings("l", 9, 9).error(),
            invalid("l[1]", R"("l[1]" must not contain the character U+0000)"));
}

// S4.12
TEST_F(ObjectReaderTest, ErrorsCarryThePathFromTheBody) {
  const ObjectReader item = reader(R"({"title":1,"tags":["a",2],"policy":{"delay":"x"}})", element_path("items", 3));
  EXPECT_EQ(item.path_of("title"), "items[3].title");
  EXPECT_EQ(item.required_string("title", 9).error(),
            invalid("items[3].title", R"("items[3].title" must be a string, not a number)"));
  EXPECT_EQ(item.optional_strings("tags", 9, 9).error().field, "items[3].tags[1]");
  EXPECT_EQ((*item.optional_object("policy"))->required_bool("delay").error().field, "items[3].policy.delay");
}

TEST_F(ObjectReaderTest, ArraysAreBounded) {
  const ObjectReader body = reader(R"({"l":["a","b","c"]})");
  EXPECT_EQ(body.optional_strings("l", 2, 9).error(), invalid("l", R"("l" may have 2 elements at most, not 3)"));
  EXPECT_EQ(body.required_array("l", 2).error(), invalid("l", R"("l" may have 2 elements at most, not 3)"));
}

TEST_F(ObjectReaderTest, TimesMustBeRfc3339) {
  const ObjectReader body = reader(R"({"at":"tomorrow"})");
  EXPECT_EQ(body.required_time("at").error(),
            invalid("at", R"("at" must be a time like "2025-12-24T10:30:00Z", not "tomorrow")"));
}

TEST_F(ObjectReaderTest, TheBodyItselfMustBeAnObject) {
  const auto document = parse("[]");
  EXPECT_EQ(ObjectReader::open(document->root()).error(), invalid("", "the body must be an object, not an array"));
  EXPECT_EQ(ObjectReader::open(document->root(), "items[0]").error(),
            invalid("items[0]", R"("items[0]" must be an object, not an array)"));
}

TEST_F(ObjectReaderTest, ListsKeysThatAreNotKnown) {
  const ObjectReader body = reader(R"({"title":1,"titel":2,"x\ty":3})");
  EXPECT_THAT(body.unknown_keys({"title", "tags"}), ElementsAre("titel", "x\ty"));
}

}  // namespace
}  // namespace millrace::json
