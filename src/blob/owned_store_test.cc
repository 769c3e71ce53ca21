// Whose a place is, and that nobody removes another one's blobs (S0.9).
#include "blob/owned_store.h"

#include <gmock/gmock.h>

#include "blob/memory_store.h"

namespace millrace::blob {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const TenantId kAcme = *TenantId::parse("acme");

// A place as several stores see it.
struct Place {
  ManualClock clock{time_from_ms(1'800'000'000'000)};
  MemoryStore blobs{clock};
  std::optional<std::string> owner;
  bool away = false;  // does not answer
};

class PlaceStore final : public BlobStore, private Mark {
 public:
  explicit PlaceStore(Place& place) : place_(place) {}
  std::string bucket() const override { return "b"; }
  Put put(const TenantId& t, std::string_view key, std::string_view bytes) override {
    return place_.blobs.put(t, key, bytes);
  }
  std::optional<std::string> get(const TenantId& t, std::string_view key) override { return place_.blobs.get(t, key); }
  void remove(const TenantId& t, std::string_view key, Time before) override { place_.blobs.remove(t, key, before); }
  Page list(std::string_view cursor, std::size_t limit) override { return place_.blobs.list(cursor, limit); }
  Mark* mark() override { return this; }

 private:
  std::optional<std::string> owner() override {
    if (place_.away) throw Unavailable("away");
    return place_.owner;
  }
  bool mark_first(std::string_view installation) override {
    if (place_.owner) return false;
    mark_anew(installation);
    return true;
  }
  void mark_anew(std::string_view installation) override { place_.owner = installation; }
  Millis good_for() const override { return std::chrono::seconds(10); }

  Place& place_;
};

class OwnedStoreTest : public testing::Test {
 protected:
  std::unique_ptr<BlobStore> start(const std::string& installation, const std::string& take_over_from = "",
                                   Ownership::Unmarked unmarked = Ownership::Unmarked::refused) {
    return claim_place(
        std::make_unique<PlaceStore>(place_),
        {.installation = installation, .place = "/the/place", .unmarked = unmarked, .take_over_from = take_over_from},
        place_.clock);
  }
  std::string refusal(const std::string& installation, const std::string& take_over_from = "") {
    try {
      start(installation, take_over_from);
    } catch (const ForeignPlace& error) {
      return error.what();
    }
    return "started";
  }
  Time later() { return place_.clock.now() + std::chrono::hours(2); }

  Place place_;
};

TEST_F(OwnedStoreTest, AnEmptyPlaceBelongsToTheFirstThatComes) {
  EXPECT_EQ(start("one")->put(kAcme, "k", "v"), Put::stored);
  EXPECT_EQ(place_.owner, "one");
  EXPECT_EQ(start("one")->get(kAcme, "k"), "v");
}

TEST_F(OwnedStoreTest, AnotherInstallationIsRefusedAndToldWhatToDo) {
  start("one");
  EXPECT_THAT(refusal("two"), AllOf(HasSubstr("/the/place"), HasSubstr("installation one"),
                                    HasSubstr("installation two"), HasSubstr("--blobs-take-over one")));
  EXPECT_EQ(place_.owner, "one");
}

TEST_F(OwnedStoreTest, APlaceIsTakenOverOnlyFromTheOwnerThatIsNamed) {
  start("one");
  EXPECT_THAT(refusal("two", "three"), HasSubstr("installation one"));
  EXPECT_THAT(refusal("two", std::string(kUnmarked)), HasSubstr("installation one"));
  EXPECT_EQ(refusal("two", "one"), "started");
  EXPECT_EQ(place_.owner, "two");
  EXPECT_THAT(refusal("one"), HasSubstr("installation two"));
}

TEST_F(OwnedStoreTest, WhoeverLostThePlaceNeitherWritesNorRemoves) {
  const auto first = start("one");
  first->put(kAcme, "k", "v");
  const auto second = start("two", "one");
  place_.clock.advance(std::chrono::seconds(10));
  EXPECT_THROW(first->put(kAcme, "k2", "v"), ForeignPlace);
  EXPECT_THROW(first->list("", 10), ForeignPlace);
  EXPECT_THROW(first->remove(kAcme, "k", later()), ForeignPlace);
  EXPECT_EQ(first->get(kAcme, "k"), "v");
  EXPECT_EQ(first->report().state, Report::State::failing);
  EXPECT_THAT(first->report().last_error, HasSubstr("taken over by installation two"));
  EXPECT_EQ(place_.blobs.size(), 1u);
  EXPECT_EQ(second->put(kAcme, "k2", "v"), Put::stored);
}

TEST_F(OwnedStoreTest, BlobsThatNobodyMarkedAreLeftAloneUnlessTheOperatorKnowsBetter) {
  place_.blobs.put(kAcme, "k", "of an earlier version, or of somebody else");
  EXPECT_THAT(refusal("one"), HasSubstr("--blobs-take-over unmarked"));
  EXPECT_EQ(place_.owner, std::nullopt);
  EXPECT_EQ(refusal("one", std::string(kUnmarked)), "started");
  EXPECT_EQ(place_.owner, "one");
}

TEST_F(OwnedStoreTest, ThoseInTheDataFolderAreItsOwn) {
  place_.blobs.put(kAcme, "k", "v");
  start("one", "", Ownership::Unmarked::adopted);
  EXPECT_EQ(place_.owner, "one");
  EXPECT_THROW(start("two", "", Ownership::Unmarked::adopted), ForeignPlace);
}

TEST_F(OwnedStoreTest, APlaceThatIsAwayAtTheStartIsAskedBeforeTheFirstWrite) {
  place_.away = true;
  const auto store = start("one");
  EXPECT_THROW(store->put(kAcme, "k", "v"), Unavailable);
  place_.away = false;
  EXPECT_EQ(store->put(kAcme, "k", "v"), Put::stored);
  EXPECT_EQ(place_.owner, "one");
}

TEST_F(OwnedStoreTest, APlaceThatTurnsOutToBeAnothersIsNotWritten) {
  place_.away = true;
  const auto store = start("one");
  place_.away = false;
  place_.owner = "two";
  EXPECT_THROW(store->put(kAcme, "k", "v"), ForeignPlace);
  EXPECT_EQ(place_.blobs.size(), 0u);
}

TEST_F(OwnedStoreTest, APlaceWhoseMarkIsGoneIsNotWrittenUntilItIsBack) {
  const auto store = start("one");
  const auto mark = std::exchange(place_.owner, std::nullopt);
  place_.clock.advance(std::chrono::seconds(10));
  EXPECT_THROW(store->put(kAcme, "k", "v"), ForeignPlace);
  EXPECT_EQ(place_.owner, std::nullopt);
  place_.owner = mark;
  EXPECT_EQ(store->put(kAcme, "k", "v"), Put::stored);
  EXPECT_NE(store->report().state, Report::State::failing);
}

TEST_F(OwnedStoreTest, APlaceThatNobodyElseCanHaveNeedsNoGuard) {
  auto store = std::make_unique<MemoryStore>(place_.clock);
  const BlobStore* same = store.get();
  EXPECT_EQ(claim_place(std::move(store), {.installation = "one", .place = "memory"}, place_.clock).get(), same);
}

TEST(MarkText, IsTheInstallationAndWhatIsNoMarkIsStillSomebodys) {
  const std::string id = "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(installation_in(mark_text(id)), id);
  EXPECT_EQ(installation_in(id), id);
  for (const char* mark : {"", "\n", "a\033b", "two words", "$(reboot)", "--blobs", "\xff\xfe", "damaged"}) {
    EXPECT_EQ(installation_in(mark), kDamaged) << mark;
  }
  EXPECT_EQ(installation_in("g" + id.substr(1)), kDamaged);
  EXPECT_EQ(installation_in(id + "0"), kDamaged);
}

// S0.9: part of an id is no other installation.
TEST(MarkText, IsDamagedWhereverItWasCutShort) {
  const std::string id = "0123456789abcdef0123456789abcdef";
  for (std::size_t bytes = 0; bytes < id.size(); ++bytes) {
    EXPECT_EQ(installation_in(id.substr(0, bytes)), kDamaged) << bytes;
    EXPECT_EQ(installation_in(mark_text(id.substr(0, bytes))), kDamaged) << bytes;
  }
}

TEST_F(OwnedStoreTest, APlaceWhoseMarkIsDamagedIsTakenWithTheCommandThatTheRefusalNames) {
  place_.owner = std::string(kDamaged);
  EXPECT_THAT(refusal("one"), AllOf(HasSubstr("cannot be read"), HasSubstr("--blobs-take-over damaged")));
  EXPECT_THAT(refusal("one", std::string(kUnmarked)), HasSubstr("--blobs-take-over damaged"));
  EXPECT_EQ(place_.owner, kDamaged);
  EXPECT_EQ(refusal("one", std::string(kDamaged)), "started");
  EXPECT_EQ(place_.owner, "one");
}

TEST_F(OwnedStoreTest, AMarkThatIsDamagedMeanwhileStopsTheWriting) {
  const auto store = start("one");
  place_.owner = std::string(kDamaged);
  place_.clock.advance(std::chrono::seconds(10));
  EXPECT_THROW(store->put(kAcme, "k", "v"), ForeignPlace);
  EXPECT_THAT(store->report().last_error, HasSubstr("--blobs-take-over damaged"));
}

TEST_F(OwnedStoreTest, APlaceThatCannotBeAskedIsFailingUntilItCan) {
  const auto ours = start("a");
  place_.away = true;
  place_.clock.advance(std::chrono::seconds(10));
  EXPECT_THROW(ours->put(kAcme, "k", "v"), Unavailable);
  EXPECT_EQ(ours->report().state, Report::State::failing);
  EXPECT_THAT(ours->report().last_error, testing::HasSubstr("/the/place"));
  place_.away = false;
  ours->put(kAcme, "k", "v");
  EXPECT_NE(ours->report().state, Report::State::failing);
}

TEST_F(OwnedStoreTest, APlaceThatCannotBeAskedAtTheStartIsFailing) {
  place_.away = true;
  EXPECT_EQ(start("a")->report().state, Report::State::failing);
}

}  // namespace
}  // namespace millrace::blob
