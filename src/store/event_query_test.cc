// Ranges of sort keys, and the keys as stores keep them; every store's answers are in tests/conformance.
#include "store/event_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/event_codec.h"
#include "store/stored_keys.h"

namespace millrace::store {
namespace {

const TenantId kTenant = *TenantId::parse("acme");

TEST(SortRange, APrefixEndsBeforeTheNextText) {
  EXPECT_EQ(starting_with("a").to->text, "b");
  EXPECT_EQ(starting_with("TASK#1").to->text, "TASK#2");
  EXPECT_EQ(starting_with("\x7f").to->text, "\u0080");
  EXPECT_EQ(starting_with("\u07ff").to->text, "\u0800");
  EXPECT_EQ(starting_with("\ud7ff").to->text, "\ue000");  // past what is no character
  EXPECT_EQ(starting_with("\uffff").to->text, "\U00010000");
  EXPECT_EQ(starting_with("a\U0010ffff").to->text, "b");
  EXPECT_FALSE(starting_with("\U0010ffff").to);
  EXPECT_FALSE(starting_with("").from);
}

TEST(SortRange, ContainsWhatIsBetweenItsBounds) {
  const SortRange range{SortBound{"b", true}, SortBound{"d", false}};
  EXPECT_FALSE(range.contains("az"));
  EXPECT_TRUE(range.contains("b"));
  EXPECT_TRUE(range.contains("czz"));
  EXPECT_FALSE(range.contains("d"));
  const SortRange open{SortBound{"b", false}, SortBound{"d", true}};
  EXPECT_FALSE(open.contains("b"));
  EXPECT_TRUE(open.contains("b\x01"));
  EXPECT_TRUE(open.contains("d"));
  EXPECT_FALSE(open.contains("d\x01"));
}

TEST(SortRange, NarrowingTakesTheTighterBounds) {
  const SortRange range = narrowed(starting_with("b"), {SortBound{"bb", true}, SortBound{"z", true}});
  EXPECT_EQ(range.from, (SortBound{"bb", true}));
  EXPECT_EQ(range.to, (SortBound{"c", false}));
  EXPECT_EQ(narrowed({SortBound{"a", true}, {}}, {SortBound{"a", false}, {}}).from, (SortBound{"a", false}));
}

// A stored key leaves out what all have; a query's bounds are cut alike, so they find the same.
TEST(StoredKeys, ACutRangeContainsWhatTheWholeOneDid) {
  event::Header header;
  header.event_id = "e";
  header.type = "Task Started";
  header.app = "app";
  header.entity_type = "TASK";
  header.entity_id = "1";
  header.time = time_from_ms(1'767'453'739'640);
  for (std::size_t i = 0; i < event::kIndexes; ++i) {
    const auto index = static_cast<event::Index>(i);
    const event::Key key = event::key_of(kTenant, header, index);
    const event::Key stored = stored_key(kTenant, header, index);
    EXPECT_EQ(ordering_part_of(kTenant, index, stored.sort), ordering_part(index, key.sort));
    for (std::size_t cut = 0; cut <= key.sort.size(); ++cut) {
      for (const std::string& end : {std::string(), std::string("!"), std::string("~")}) {
        const std::string bound = key.sort.substr(0, cut) + end;
        for (const SortRange& range : {SortRange{SortBound{bound, true}, {}}, SortRange{SortBound{bound, false}, {}},
                                       SortRange{{}, SortBound{bound, true}}, SortRange{{}, SortBound{bound, false}}}) {
          EventQuery query{.tenant = kTenant, .index = index, .partition = key.partition, .sort = range};
          const auto stored_query = stored_range(query);
          const bool found = stored_query && stored_query->partition == stored.partition &&
                             stored_query->sort.contains(stored.sort) && is_wanted(query, *stored_query, header);
          EXPECT_EQ(found, range.contains(key.sort)) << event::name_of(index) << " " << bound;
        }
      }
    }
  }
}

// The table's keys end with the event's id, its entries do not: a bound among the events of one millisecond takes them
// all in, and each is looked at; any other bound is exact.
TEST(StoredKeys, BoundsOfTheTableAreMilliseconds) {
  std::vector<event::Header> headers;
  for (const std::int64_t ms : {-50, -5, 0, 1, 10, 100, 11, 9}) {
    for (const char* id : {"!", "#EVENT#", "a", "b", "é"}) {
      headers.push_back({.event_id = id, .time = time_from_ms(ms)});
    }
  }
  std::vector<std::string> bounds = {"", "A", "TIMESTAMP", "TIMESTAMP$", "U"};
  for (const char* time : {"", "-", "-5", "-50", "0", "1", "10", "11", "2", "x"}) {
    for (const char* rest : {"", "!", "#", "#EVENT", "#EVENT!", "#EVENT#", "#EVENT#a", "#EVENT#aa", "#EVENT#~",
                             "#EVENT$", "$", ".", "/", ":", "~", "é"}) {
      bounds.push_back(std::string("TIMESTAMP#") + time + rest);
    }
  }
  for (const std::string& bound : bounds) {
    for (const SortRange& range : {SortRange{SortBound{bound, true}, {}}, SortRange{SortBound{bound, false}, {}},
                                   SortRange{{}, SortBound{bound, true}}, SortRange{{}, SortBound{bound, false}}}) {
      const EventQuery query{.tenant = kTenant, .partition = "TENANT#acme", .sort = range};
      const auto stored = stored_range(query);
      for (const event::Header& header : headers) {
        const event::Key key = event::key_of(kTenant, header, event::Index::table);
        const bool found = stored && stored->sort.contains(stored_key(kTenant, header, event::Index::table).sort) &&
                           is_wanted(query, *stored, header);
        EXPECT_EQ(found, range.contains(key.sort)) << bound << " " << key.sort;
      }
      const bool names_an_event = bound.find("#EVENT#") + 7 < bound.size();
      if (stored && !names_an_event) EXPECT_TRUE(stored->exact) << bound;
    }
  }
}

TEST(EventCodec, DamageIsNoticed) {
  event::Record record{.tenant = kTenant, .position = Position{1}, .tsid = 7, .header = {}, .rest = nullptr};
  record.rest = std::make_shared<const std::string>("{}");
  std::string bytes;
  encode_event(bytes, record);
  EXPECT_EQ(decode_event(kTenant, Position{1}, bytes).header, record.header);
  EXPECT_EQ(decode_event(kTenant, Position{1}, bytes, RestOf::nothing).rest, nullptr);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(decode_event(kTenant, Position{1}, bytes.substr(0, size)), CorruptRecord);
  }
  EXPECT_THROW(decode_event(kTenant, Position{1}, bytes + "x"), CorruptRecord);
  bytes[0] = 9;
  EXPECT_THROW(glance_at_event(bytes), CorruptRecord);
}

}  // namespace
}  // namespace millrace::store
