#include "base/base64.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace millrace {
namespace {

TEST(Base64, EncodesAndReadsBack) {
  const std::pair<std::string, std::string> examples[] = {
      {"", ""},        {"f", "Zg=="},          {"fo", "Zm8="},
      {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}, {std::string("\xff\xfe\0", 3), "//4A"}};
  for (const auto& [bytes, text] : examples) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(Base64, RefusesWhatNoEncoderWrites) {
  for (const char* text : {"Zg", "Zg=", "Zg=a", "Z===", "====", "Zh==", "Zm9=", "Zm 9", "Zg==Zg==", "Zm9v\n", "-_8="}) {
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace millrace
