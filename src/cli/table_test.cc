#include "cli/table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/printable.h"

namespace millrace::cli {
namespace {

constexpr Terminal kPipe{};
constexpr Terminal kNarrow{.interactive = true, .width = 24, .colours = false};

Table two_columns() {
  return Table({{.title = "ID", .align = Align::right}, {.title = "TITLE", .flexible = true}, {.title = "STATUS"}});
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Table, AlignsNumbersRightAndTextLeft) {
  Table table = two_columns();
  table.add({Cell("7"), Cell("short"), Cell("PENDING")});
  table.add({Cell("1234"), Cell("somewhat longer"), Cell("FAILED")});
  EXPECT_EQ(table.render(kPipe),
            "  ID  TITLE            STATUS\n"
            "   7  short            PENDING\n"
            "1234  somewhat longer  FAILED\n");
}

TEST(Table, CutsTheFlexibleColumnToTheTerminal) {
  Table table = two_columns();
  table.add({Cell("7"), Cell("a title that is far too long"), Cell("PENDING")});
  const auto lines = lines_of(table.render(kNarrow));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1], " 7  a title th…  PENDING");
  for (const std::string& line : lines) EXPECT_LE(width_of(line), kNarrow.width);
}

TEST(Table, NeverExceedsEvenATinyTerminal) {
  for (std::size_t width = 1; width < 30; ++width) {
    Table table = two_columns();
    table.add({Cell("123456"), Cell("世界世界世界"), Cell("PROCESSING")});
    for (const std::string& line : lines_of(table.render({.interactive = true, .width = width, .colours = false}))) {
      EXPECT_LE(width_of(line), width);
    }
  }
}

TEST(Table, CutsNothingForAPipe) {
  Table table = two_columns();
  const std::string title(500, 'x');
  table.add({Cell("7"), Cell(title), Cell("PENDING")});
  EXPECT_NE(table.render(kPipe).find(title), std::string::npos);
}

TEST(Table, PrintsItsHeaderOnceAndKeepsTheWidthsOfEarlierPages) {
  Table table = two_columns();
  table.add({Cell("10"), Cell("a long title"), Cell("PENDING")});
  const auto first = lines_of(table.render(kPipe));
  table.add({Cell("9"), Cell("b"), Cell("PENDING")});
  const auto second = lines_of(table.render(kPipe));
  ASSERT_EQ(first.size(), 2u);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(first[1].find("PENDING"), second[0].find("PENDING"));
}

TEST(Table, ColoursOnlyATerminalThatHasThem) {
  Table plain = two_columns();
  Table coloured = two_columns();
  plain.add({Cell("1"), Cell("t"), Cell("FAILED", Colour::red)});
  coloured.add({Cell("1"), Cell("t"), Cell("FAILED", Colour::red)});
  EXPECT_EQ(plain.render(kPipe).find('\x1b'), std::string::npos);
  EXPECT_NE(coloured.render({.interactive = true, .width = 80, .colours = true}).find("\x1b[31mFAILED\x1b[0m"),
            std::string::npos);
}

TEST(Table, LetsNoCellControlTheTerminal) {
  Table table = two_columns();
  table.add({Cell("1"), Cell("\x1b]0;title\x07\nsecond line"), Cell("PENDING")});
  const std::string text = table.render(kPipe);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(lines_of(text).size(), 2u);
}

TEST(Fields, AlignsValuesAndLeavesOutEmptyOnes) {
  EXPECT_EQ(render_fields({{"id", Cell("7")}, {"next_retry_at", Cell("")}, {"status", Cell("PENDING")}}, kPipe),
            "id             7\n"
            "status         PENDING\n");
}

TEST(Terminal, KnowsThatAPipeIsNone) {
  const Terminal terminal = look_at(-1, [](const char*) -> const char* { return nullptr; });
  EXPECT_FALSE(terminal.interactive);
  EXPECT_FALSE(terminal.colours);
  EXPECT_EQ(terminal.width, 0u);
}

}  // namespace
}  // namespace millrace::cli
