#include "event/keys.h"

#include <gtest/gtest.h>

namespace millrace::event {
namespace {

Header started() {
  Header header;
  header.event_id = "ddf71f63-b036-4ac7-ad0f-77a7fdfca352";
  header.type = "Task Processing Started";
  header.app = "task-workflow";
  header.entity_type = "TASK";
  header.entity_id = "req-123";
  header.time = time_from_ms(1767453739640);
  return header;
}

// S0.2
TEST(EventKeys, AreTheDocumentedStrings) {
  const std::array<Key, kIndexes> expected = {{
      {"TENANT#acme", "TIMESTAMP#1767453739640#EVENT#ddf71f63-b036-4ac7-ad0f-77a7fdfca352"},
      {"TASK#req-123", "TASK#TIMESTAMP#1767453739640"},
      {"APP#task-workflow", "TIMESTAMP#1767453739640"},
      {"APP#task-workflow", "TASK#req-123#TIMESTAMP#1767453739640"},
      {"EVENT#Task Processing Started", "TENANT#acme#TIMESTAMP#1767453739640"},
      {"EVENT#Task Processing Started", "TENANT#acme#TASK#req-123#TIMESTAMP#1767453739640"},
      {"EVENT#Task Processing Started", "TENANT#acme#APP#task-workflow#TIMESTAMP#1767453739640"},
      {"EVENT#Task Processing Started", "TENANT#acme#APP#task-workflow#TASK#req-123#TIMESTAMP#1767453739640"},
  }};
  EXPECT_EQ(keys_of(*TenantId::parse("acme"), started()), expected);
}

// S0.4
TEST(EventKeys, TakeTheirPrefixFromTheEntityType) {
  Header header = started();
  header.entity_type = "STORE";
  header.entity_id = "s-9";
  const Key key = key_of(*TenantId::parse("acme"), header, Index::gsi1);
  EXPECT_EQ(key, (Key{"STORE#s-9", "STORE#TIMESTAMP#1767453739640"}));
}

// S0.3
TEST(EventKeys, OneIndexAloneIsTheSameAsOneOfAll) {
  const TenantId tenant = *TenantId::parse("acme");
  const auto all = keys_of(tenant, started());
  for (std::size_t i = 0; i < kIndexes; ++i) EXPECT_EQ(key_of(tenant, started(), static_cast<Index>(i)), all[i]);
}

TEST(EventKeys, IndexNamesReadBack) {
  for (std::size_t i = 0; i < kIndexes; ++i) {
    const auto index = static_cast<Index>(i);
    EXPECT_EQ(parse_index(name_of(index)), index);
  }
  EXPECT_EQ(parse_index("GSI8"), std::nullopt);
  EXPECT_EQ(parse_index("gsi1"), std::nullopt);
  EXPECT_EQ(parse_index(""), std::nullopt);
}

}  // namespace
}  // namespace millrace::event
