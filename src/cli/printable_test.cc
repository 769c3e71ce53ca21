#include "cli/printable.h"

#include <gtest/gtest.h>

namespace millrace::cli {
namespace {

TEST(Printable, LetsNoControlSequenceThrough) {
  EXPECT_EQ(printable("\x1b[31mred\x07"), "?[31mred?");
  EXPECT_EQ(printable("a\u009bb"), "a?b");  // the one-character form of ESC [
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
}

TEST(Printable, KeepsOneLine) { EXPECT_EQ(printable("a\nb\r\tc"), "a b  c"); }

TEST(Printable, LetsNothingReorderTheLine) { EXPECT_EQ(printable("a\u202eb\u2066c"), "a?b?c"); }

TEST(Printable, KeepsLettersOfAllScripts) { EXPECT_EQ(printable("Grüße, 世界 🎉"), "Grüße, 世界 🎉"); }

TEST(Printable, ReplacesBytesThatAreNoText) {
  EXPECT_EQ(printable("a\xff"), "a?");
  EXPECT_EQ(printable("a\xc3"), "a?");
  EXPECT_EQ(printable("\xe0\x80\x80"), "???");       // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????");  // beyond Unicode
}

TEST(Width, CountsColumnsNotBytes) {
  EXPECT_EQ(width_of("abc"), 3u);
  EXPECT_EQ(width_of("Grüße"), 5u);
  EXPECT_EQ(width_of("世界"), 4u);
  EXPECT_EQ(width_of("e\u0301"), 1u);
}

TEST(CutTo, LeavesWhatFits) { EXPECT_EQ(cut_to("abc", 3), "abc"); }

TEST(CutTo, MarksWhatItCut) {
  EXPECT_EQ(cut_to("abcdef", 4), "abc…");
  EXPECT_EQ(cut_to("abcdef", 1), "…");
  EXPECT_EQ(cut_to("abcdef", 0), "");
}

TEST(CutTo, DoesNotHalveAWideCharacter) { EXPECT_EQ(cut_to("世界世界", 4), "世…"); }

}  // namespace
}  // namespace millrace::cli
