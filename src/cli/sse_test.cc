#include "cli/sse.h"

#include <gtest/gtest.h>

namespace millrace::cli {
namespace {

using Events = std::vector<SseEvent>;

constexpr std::string_view kStream =
    ": following\n\nid: 7\nevent: event\ndata: {\"a\":1}\n\n: still here\n\nid: 9\ndata: {}\n\n";

TEST(SseReader, ReadsEventsWhereverTheStreamIsCut) {
  for (std::size_t cut = 0; cut <= kStream.size(); ++cut) {
    SseReader reader;
    Events events = reader.feed(kStream.substr(0, cut));
    for (SseEvent& event : reader.feed(kStream.substr(cut))) events.push_back(std::move(event));
    EXPECT_EQ(events, (Events{{"7", "{\"a\":1}", "event"}, {"9", "{}"}})) << cut;
    EXPECT_EQ(reader.last_id(), "9");
  }
}

TEST(SseReader, AnEventThatIsIncompleteDoesNotCountAsSeen) {
  SseReader reader;
  EXPECT_EQ(reader.feed("id: 1\ndata: a\n\nid: 2\ndata: b\n").size(), 1u);
  EXPECT_EQ(reader.last_id(), "1");
  reader.restart();
  EXPECT_EQ(reader.feed("id: 2\ndata: b\n\n"), (Events{{"2", "b"}}));
}

TEST(SseReader, AnIdAloneMovesThePlaceWithoutAnEvent) {
  SseReader reader;
  EXPECT_TRUE(reader.feed("id: 41\n\n").empty());
  EXPECT_EQ(reader.last_id(), "41");
}

TEST(SseReader, JoinsLinesOfDataAndTakesBothLineEnds) {
  SseReader reader;
  EXPECT_EQ(reader.feed("data:a\r\ndata: b\r\nretry: 5\r\n\r\n"), (Events{{"", "a\nb"}}));
}

}  // namespace
}  // namespace millrace::cli
