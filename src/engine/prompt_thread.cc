#include "engine/prompt_thread.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace millrace::engine {
namespace {

// As the kernel defines it; Debian 12's C library does not declare it.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;  // the usual one
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;  // of the usual policy: how long a turn may be, in nanoseconds
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

// The shortest that the kernel takes.
constexpr std::uint64_t kTurnNanoseconds = 100'000;

}  // namespace

void become_prompt(const char* name) {
  pthread_setname_np(pthread_self(), name);
  SchedulingAttributes wanted;
  if (syscall(SYS_sched_getattr, 0, &wanted, sizeof wanted, 0) != 0 || wanted.policy != 0) return;
  wanted.size = sizeof wanted;
  wanted.flags = 0;
  wanted.runtime = kTurnNanoseconds;
  // Without it everything works as before.
  static_cast<void>(syscall(SYS_sched_setattr, 0, &wanted, 0));
}

}  // namespace millrace::engine
