#include "cli/stop_signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace millrace::cli {
namespace {

std::atomic<int> told{-1};  // the eventfd of the one that lives

void tell(int) {
  const int before = errno;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(told.load(), &one, sizeof one);
  errno = before;
}

}  // namespace

StopSignals::StopSignals() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (fd_ < 0) throw std::system_error(errno, std::system_category(), "eventfd");
  told = fd_;
  struct sigaction action = {};
  action.sa_handler = tell;
  // Restarted: a write to stdout that a signal interrupts must not look like a full disk.
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, &old_int_);
  ::sigaction(SIGTERM, &action, &old_term_);
}

StopSignals::~StopSignals() {
  ::sigaction(SIGINT, &old_int_, nullptr);
  ::sigaction(SIGTERM, &old_term_, nullptr);
  told = -1;
  ::close(fd_);
}

bool StopSignals::raised() const {
  pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
  return ::poll(&waiting, 1, 0) > 0;
}

}  // namespace millrace::cli
