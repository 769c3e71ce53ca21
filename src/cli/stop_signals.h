// SIGINT and SIGTERM as something to wait for, while it lives; a second one ends the program as usual. One at a
// time, on the main thread.
#pragma once

#include <signal.h>

namespace millrace::cli {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;

  bool raised() const;
  // Can be read once a signal has come.
  int fd() const { return fd_; }

 private:
  int fd_;
  struct sigaction old_int_ = {};
  struct sigaction old_term_ = {};
};

}  // namespace millrace::cli
