#include "http/metrics.h"

#include <fmt/format.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>

#include "base/assert.h"

namespace millrace::http {

namespace {

// Seconds. From a request that touches no disk to a long poll.
const prometheus::Histogram::BucketBoundaries kBuckets = {0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                          0.1,     0.25,   0.5,   1,      2.5,   5,    10,    30};

prometheus::Counter* add_counter(prometheus::Registry& registry, const std::string& name, const std::string& help) {
  return &prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add({});
}

}  // namespace

Metrics::Metrics() : registry_(std::make_shared<prometheus::Registry>()), by_endpoint_(kEndpointsMax + 1) {
  durations_ = &prometheus::BuildHistogram()
                    .Name("millrace_http_request_seconds")
                    .Help("Time from a request's head to the end of its answer, by endpoint and status class")
                    .Register(*registry_);
  bytes_in_ = add_counter(*registry_, "millrace_http_received_bytes_total", "Bytes of request heads and bodies");
  bytes_out_ = add_counter(*registry_, "millrace_http_sent_bytes_total", "Bytes of answers");
}

Metrics::~Metrics() = default;

void Metrics::observe(const Answered& answered) {
  auto& slots = by_endpoint_[std::min(answered.endpoint_index, kEndpointsMax)];
  auto& slot = slots[static_cast<std::size_t>(std::clamp(answered.status / 100, 0, 5))];
  prometheus::Histogram* histogram = slot.load(std::memory_order_acquire);
  if (histogram == nullptr) histogram = &add_histogram(answered, slot);
  histogram->Observe(std::chrono::duration<double>(answered.took).count());
  bytes_in_->Increment(static_cast<double>(answered.bytes_in));
  bytes_out_->Increment(static_cast<double>(answered.bytes_out));
}

prometheus::Histogram& Metrics::add_histogram(const Answered& answered, std::atomic<prometheus::Histogram*>& slot) {
  std::lock_guard lock(mutex_);
  if (auto* known = slot.load(std::memory_order_acquire)) return *known;
  auto& added = durations_->Add({{"endpoint", answered.endpoint != nullptr ? answered.endpoint->name : "none"},
                                 {"status", fmt::format("{}xx", answered.status / 100)}},
                                kBuckets);
  slot.store(&added, std::memory_order_release);
  return added;
}

void Metrics::gauge(const std::string& name, const std::string& help, std::function<double()> read) {
  std::lock_guard lock(mutex_);
  auto& family = prometheus::BuildGauge().Name(name).Help(help).Register(*registry_);
  gauges_.emplace_back(&family.Add({}), std::move(read));
}

void Metrics::counter(const std::string& name, const std::string& help, std::function<double()> read) {
  MR_ASSERT(name.ends_with("_total"), "the name of what only grows says so");
  std::lock_guard lock(mutex_);
  counters_.emplace_back(add_counter(*registry_, name, help), std::move(read));
}

std::string Metrics::text() {
  {
    std::lock_guard lock(mutex_);
    for (auto& [counter, read] : counters_) counter->Increment(read() - counter->Value());
    for (auto& [gauge, read] : gauges_) gauge->Set(read());
  }
  return prometheus::TextSerializer().Serialize(registry_->Collect());
}

}  // namespace millrace::http
