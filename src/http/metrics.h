// The numbers of the process in Prometheus' text format. One, owned by main, outlives the server; other
// modules add theirs through registry(), gauge() or counter().
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "http/observer.h"

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
class Registry;
template <class T>
class Family;
}  // namespace prometheus

namespace millrace::http {

class Metrics {
 public:
  Metrics();
  ~Metrics();

  // Any thread.
  void observe(const Answered& answered);
  // A number that is asked for each time the metrics are read. Before the server starts.
  void gauge(const std::string& name, const std::string& help, std::function<double()> read);
  // The same for one that only grows; its name ends in _total.
  void counter(const std::string& name, const std::string& help, std::function<double()> read);
  prometheus::Registry& registry() { return *registry_; }
  // What GET /metrics answers, with content type kMetricsText. Any thread.
  std::string text();

 private:
  static constexpr std::size_t kEndpointsMax = 512;  // of a table; the last slot is for requests without one
  static constexpr std::size_t kClasses = 6;         // 1xx to 5xx by their first digit
  using Slots = std::array<std::atomic<prometheus::Histogram*>, kClasses>;

  prometheus::Histogram& add_histogram(const Answered& answered, std::atomic<prometheus::Histogram*>& slot);

  std::shared_ptr<prometheus::Registry> registry_;
  prometheus::Family<prometheus::Histogram>* durations_;
  prometheus::Counter* bytes_in_;
  prometheus::Counter* bytes_out_;
  std::vector<Slots> by_endpoint_;  // filled as they are met, so that unused series are not listed
  std::mutex mutex_;                // guards adding a histogram and reading the numbers
  std::vector<std::pair<prometheus::Gauge*, std::function<double()>>> gauges_;
  std::vector<std::pair<prometheus::Counter*, std::function<double()>>> counters_;
};

inline constexpr std::string_view kMetricsText = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace millrace::http
