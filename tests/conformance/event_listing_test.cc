// The listing of events (S3.4): newest first, filtered, in pages.
#include "conformance/event_samples.h"
#include "conformance/store_test.h"

namespace millrace::store::conformance {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class EventListings : public StoreTest {
 protected:
  // The n-th is at(n).
  event::Record& add() {
    events_.push_back(make_event(acme_, events_.size() + 1));
    events_.back().header.time = at(static_cast<std::int64_t>(events_.size()));
    return events_.back();
  }
  void append() { commit(appended(kShard, events_)); }
  std::vector<std::uint64_t> listed(const EventListing& listing) {
    return positions(store().list_events(kShard, listing).events);
  }

  const TenantId acme_ = tenant("acme");
  std::vector<event::Record> events_;
};
MR_ON_EVERY_STORE(EventListings);

TEST_P(EventListings, NewestFirstByTimeThenPosition) {
  add();
  add();
  add().header.time = at(1);
  append();
  EXPECT_THAT(listed({.tenant = acme_}), ElementsAre(2, 3, 1));
  EXPECT_THAT(listed({.tenant = acme_, .source = "shop"}), ElementsAre(2, 3, 1));
}

TEST_P(EventListings, EachFilterByItself) {
  add().header.type = "t1";
  add().header.source = "s1";
  add().header.subject = "u1";
  add().header.correlation_id = "c1";
  add().header.context = {{"region", "eu"}, {"plan", "pro"}};
  add().header.context = {{"region", "eu"}, {"plan", "free"}};
  append();
  EXPECT_THAT(listed({.tenant = acme_, .type = "t1"}), ElementsAre(1));
  EXPECT_THAT(listed({.tenant = acme_, .source = "s1"}), ElementsAre(2));
  EXPECT_THAT(listed({.tenant = acme_, .subject = "u1"}), ElementsAre(3));
  EXPECT_THAT(listed({.tenant = acme_, .correlation_id = "c1"}), ElementsAre(4));
  EXPECT_THAT(listed({.tenant = acme_, .context = {{"region", "eu"}}}), ElementsAre(6, 5));
  EXPECT_THAT(listed({.tenant = acme_, .context = {{"region", "eu"}, {"plan", "pro"}}}), ElementsAre(5));
  EXPECT_THAT(listed({.tenant = acme_, .context = {{"region", "eu"}, {"plan", "none"}}}), IsEmpty());
  EXPECT_THAT(listed({.tenant = acme_, .context = {{"regio", "neu"}}}), IsEmpty());
  EXPECT_THAT(listed({.tenant = acme_, .type = "order.created", .context = {{"plan", "free"}}}), ElementsAre(6));
  EXPECT_THAT(listed({.tenant = acme_, .type = "t1", .correlation_id = "c1"}), IsEmpty());
  EXPECT_THAT(listed({.tenant = acme_, .type = "t"}), IsEmpty());
  // Empty is a value too: those without one.
  EXPECT_THAT(listed({.tenant = acme_, .subject = "", .correlation_id = ""}), ElementsAre(6, 5, 2, 1));
}

TEST_P(EventListings, TimeRangeIncludesItsBeginningNotItsEnd) {
  for (int n = 0; n < 5; ++n) add().header.subject = "u";
  append();
  for (const bool filtered : {false, true}) {
    EventListing listing{.tenant = acme_, .from = at(2), .to = at(4)};
    if (filtered) listing.subject = "u";
    EXPECT_THAT(listed(listing), ElementsAre(3, 2));
    listing.to = {};
    EXPECT_THAT(listed(listing), ElementsAre(5, 4, 3, 2));
    listing.from = {};
    listing.to = at(3);
    EXPECT_THAT(listed(listing), ElementsAre(2, 1));
    listing.from = at(4);
    EXPECT_THAT(listed(listing), IsEmpty());
  }
}

TEST_P(EventListings, PagesMissNothingAndRepeatNothing) {
  for (int n = 0; n < 50; ++n) add().header.time = at(n / 7);
  append();
  for (const std::size_t limit : {1, 7, 50, 1000}) {
    EventListing listing{.tenant = acme_, .type = "order.created", .limit = limit};
    const auto all = all_pages(store(), kShard, listing);
    ASSERT_EQ(all.size(), 50u);
    for (std::size_t i = 1; i < all.size(); ++i) {
      EXPECT_GT(std::pair(all[i - 1].header.time, all[i - 1].position), std::pair(all[i].header.time, all[i].position));
    }
  }
  EXPECT_THAT(listed({.tenant = acme_, .limit = 0}), IsEmpty());
}

// What comes in meanwhile does not move what is still to come.
TEST_P(EventListings, ACursorHoldsWhileEventsComeIn) {
  for (int n = 0; n < 6; ++n) add();
  append();
  EventListing listing{.tenant = acme_, .limit = 3};
  const auto first = store().list_events(kShard, listing);
  EXPECT_THAT(positions(first.events), ElementsAre(6, 5, 4));
  ASSERT_TRUE(first.next);
  auto late = make_event(acme_, 7);
  late.header.time = at(100);
  commit(appended(kShard, {late}));
  listing.before = first.next;
  EXPECT_THAT(listed(listing), ElementsAre(3, 2, 1));
}

TEST_P(EventListings, ARareMatchAmongManyIsFoundInBoundedSteps) {
  constexpr std::uint64_t kMany = kEventScanMax + 4000;
  for (std::uint64_t n = 1; n <= kMany; ++n) {
    if (add().position.value % 15'000 == 1) events_.back().header.type = "rare";
  }
  append();
  EventListing listing{.tenant = acme_, .type = "rare", .source = "shop", .limit = 5};
  EXPECT_THAT(positions(all_pages(store(), kShard, listing)), ElementsAre(15'001, 1));
  // By one filter alone there is nothing to pass over.
  listing.source = {};
  const auto page = store().list_events(kShard, listing);
  EXPECT_THAT(positions(page.events), ElementsAre(15'001, 1));
  EXPECT_FALSE(page.next);
}

// S3.4, S0.3: whether they are past their own time or were received too long ago.
TEST_P(EventListings, HiddenEventsUseUpNoPage) {
  constexpr std::uint64_t kHidden = 5000;
  for (std::uint64_t n = 0; n <= kHidden; ++n) {
    add();
    events_.back().received = at(n == 0 ? 50 : 10);
    if (n % 2 == 1) events_.back().header.expires = at(20);
    events_.back().header.context = {{"k", "v"}, {"l", "w"}};
  }
  append();
  const Horizon horizon{.now = at(100), .received_before = at(40)};
  for (const bool by_context : {false, true}) {
    EventListing listing{.tenant = acme_, .limit = 1, .horizon = horizon};
    if (by_context) listing.context = {{"k", "v"}, {"l", "w"}};
    const auto list = store().list_events(kShard, listing);
    EXPECT_THAT(positions(list.events), ElementsAre(1));
  }
  for (std::size_t i = 0; i < event::kIndexes; ++i) {
    const auto index = static_cast<event::Index>(i);
    const auto page =
        store().events(kShard, {.tenant = acme_,
                                .index = index,
                                .partition = event::key_of(acme_, events_.front().header, index).partition,
                                .order = Order::descending,
                                .limit = 1,
                                .horizon = horizon});
    EXPECT_THAT(positions(page.events), ElementsAre(1)) << i;
    EXPECT_FALSE(page.next);
  }
}

}  // namespace
}  // namespace millrace::store::conformance
