#include "blob/watched_store.h"

#include <gtest/gtest.h>

#include "base/unavailable.h"
#include "blob/memory_store.h"

namespace millrace::blob {
namespace {

const TenantId kTenant = TenantId::default_tenant();

TEST(WatchedStore, ReportsWhatPassedThroughAndHowItEnded) {
  const SystemClock clock;
  auto memory = std::make_unique<MemoryStore>(clock);
  MemoryStore& inner = *memory;
  WatchedStore store("memory", "the memory of a test", std::move(memory));
  EXPECT_EQ(store.report().kind, "memory");
  EXPECT_EQ(store.report().place, "the memory of a test");
  EXPECT_EQ(store.report().state, Report::State::unused);
  EXPECT_EQ(store.bucket(), "memory");

  EXPECT_EQ(store.put(kTenant, "a", "12345"), Put::stored);
  EXPECT_EQ(store.put(kTenant, "a", "other"), Put::taken);
  EXPECT_EQ(store.report().state, Report::State::working);
  EXPECT_EQ(store.report().blobs_written, 1u);
  EXPECT_EQ(store.report().bytes_written, 5u);
  EXPECT_EQ(store.report().last_error, "");

  inner.fail_next(1);
  EXPECT_THROW(store.get(kTenant, "a"), Unavailable);
  EXPECT_EQ(store.report().state, Report::State::failing);
  EXPECT_EQ(store.report().failures, 1u);
  EXPECT_EQ(store.report().last_error, "the blob store was told to fail");

  EXPECT_EQ(store.get(kTenant, "a"), "12345");
  EXPECT_EQ(store.report().state, Report::State::working);
  EXPECT_EQ(store.report().last_error, "the blob store was told to fail") << "said after it is well again";
  EXPECT_EQ(store.list("", 10).entries.size(), 1u);
  store.remove(kTenant, "a", kNever);
  EXPECT_EQ(store.report().blobs_removed, 1u);
  EXPECT_EQ(inner.size(), 0u);
}

TEST(WatchedStore, AStoreThatTakesNothingIsNotWellBecauseItCanBeRead) {
  const SystemClock clock;
  auto memory = std::make_unique<MemoryStore>(clock);
  MemoryStore& inner = *memory;
  WatchedStore store("memory", "memory", std::move(memory));
  inner.fail_next(1);
  EXPECT_THROW(store.put(kTenant, "a", "1"), Unavailable);
  store.get(kTenant, "a");
  store.list("", 10);
  store.remove(kTenant, "a", kNever);
  EXPECT_EQ(store.report().state, Report::State::failing);

  inner.fail_next(1);
  EXPECT_THROW(store.list("", 10), Unavailable);
  store.put(kTenant, "a", "1");
  EXPECT_EQ(store.report().state, Report::State::failing) << "it can be written, but not read";
  store.get(kTenant, "a");
  EXPECT_EQ(store.report().state, Report::State::working);
}

}  // namespace
}  // namespace millrace::blob
