#include "postgres/suspension.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <ctime>

namespace {
std::atomic<time_t> slept_seconds = 0;
}

// In place of the C library's, for the whole test program.
extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const auto failed = syscall(SYS_clock_gettime, clock, now);
  if (failed == 0 && clock == CLOCK_BOOTTIME) now->tv_sec += slept_seconds;
  return static_cast<int>(failed);
}

namespace millrace::test {

void suspend_machine(std::chrono::seconds slept) { slept_seconds += slept.count(); }

}  // namespace millrace::test
