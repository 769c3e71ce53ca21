// A good history that a test spoils in one place, for the auditor to notice.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "story.h"
#include "violation.h"

namespace millrace::simulation {

inline void expect_violation(const std::function<void()>& step, const std::string& text) {
  try {
    step();
  } catch (const Violation& violation) {
    EXPECT_THAT(violation.what(), testing::HasSubstr(text));
    return;
  }
  ADD_FAILURE() << "nothing was found, expected: " << text;
}

struct SpoiledStory : testing::Test {
  Story story;

  queue::ItemRecord created(const shard::NewItem& item) {
    queue::ItemRecord record = story.create(item);
    story.look();
    return record;
  }
  queue::ItemRecord created() { return created(story.new_item()); }
  shard::NewItem grouped(queue::GroupMode mode) {
    shard::NewItem item = story.new_item();
    item.group = queue::GroupKey{"g", mode};
    return item;
  }
  void expect_look(const std::string& text) {
    expect_violation([&] { story.look(); }, text);
  }
};

}  // namespace millrace::simulation
