#include "store/rocksdb/write_watch.h"

#include <gmock/gmock.h>

#include <future>

namespace millrace::store::rocks {
namespace {

using rocksdb::Status;
using testing::HasSubstr;
using testing::IsEmpty;

void fail(WriteWatch& watch, Status::Severity severity) {
  Status error(Status::IOError("sync", "the disk"), severity);
  watch.OnBackgroundError(rocksdb::BackgroundErrorReason::kFlush, &error);
}

void recover(WriteWatch& watch) {
  rocksdb::BackgroundErrorRecoveryInfo info;
  info.new_bg_error = Status::OK();
  watch.OnErrorRecoveryEnd(info);
}

TEST(WriteWatch, AHardBackgroundErrorIsSaidUntilItIsOver) {
  WriteWatch watch;
  EXPECT_THAT(watch.unwritable(), IsEmpty());
  fail(watch, Status::Severity::kHardError);
  EXPECT_THAT(std::string(watch.unwritable()), HasSubstr("the disk"));
  recover(watch);
  EXPECT_THAT(watch.unwritable(), IsEmpty());
  EXPECT_THAT(watch.background_error(), IsEmpty());
}

TEST(WriteWatch, ASoftOneLeavesWritesAlone) {
  WriteWatch watch;
  fail(watch, Status::Severity::kSoftError);
  EXPECT_THAT(watch.unwritable(), IsEmpty());
  EXPECT_THAT(watch.background_error(), HasSubstr("the disk"));
}

TEST(WriteWatch, WhatIsNotOverInTimeIsForGood) {
  std::promise<std::string> told;
  WriteWatch watch([&](const std::string& why) { told.set_value(why); }, Millis(1));
  fail(watch, Status::Severity::kFatalError);
  EXPECT_THAT(told.get_future().get(), HasSubstr("the disk"));
}

TEST(WriteWatch, WhatIsOverInTimeIsForgotten) {
  std::promise<std::string> told;
  {
    WriteWatch watch([&](const std::string& why) { told.set_value(why); }, std::chrono::hours(1));
    fail(watch, Status::Severity::kHardError);
    recover(watch);
    fail(watch, Status::Severity::kHardError);
    EXPECT_THAT(std::string(watch.unwritable()), HasSubstr("the disk"));
  }
  EXPECT_EQ(told.get_future().wait_for(std::chrono::seconds(0)), std::future_status::timeout);
}

}  // namespace
}  // namespace millrace::store::rocks
