// Runs scripts, each on a keep-alive connection of its own, on the calling thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "load/latency.h"
#include "load/script.h"

namespace millrace::load {

struct RunOptions {
  std::uint16_t port = 0;  // of 127.0.0.1
  // Measured is what is answered in [warmup, warmup + window). A zero window measures from the start until
  // every script is done.
  std::chrono::nanoseconds warmup{0};
  std::chrono::nanoseconds window{0};
};

struct Report {
  double seconds = 0;
  std::uint64_t requests = 0;
  std::uint64_t items = 0;
  std::uint64_t refused = 0;  // 429 and 503; sent again
  std::uint64_t errors = 0;   // answers that the script did not expect, and broken connections
  std::string first_error;
  std::map<std::string, Latency, std::less<>> steps;
};

// Throws std::runtime_error if the server can't be reached or more than a thousand errors came.
Report run(const RunOptions& options, std::vector<std::unique_ptr<Script>> scripts);

}  // namespace millrace::load
