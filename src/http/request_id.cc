#include "http/request_id.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>

#include "base/ids.h"
#include "base/time.h"

namespace millrace::http {

namespace {

std::mt19937_64 seeded() {
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device(), device(), device(), device(), device()};
  return std::mt19937_64(seed);
}

}  // namespace

std::string make_request_id() {
  thread_local std::mt19937_64 generator = seeded();
  const std::uint64_t first = generator();
  const std::uint64_t second = generator();
  std::array<std::uint8_t, 10> random;
  std::memcpy(random.data(), &first, 8);
  std::memcpy(random.data() + 8, &second, 2);
  return make_uuid_v7(to_ms(SystemClock().now()), random);
}

bool is_correlation_id(std::string_view text) {
  return !text.empty() && text.size() <= 128 && std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace millrace::http
