// How many connections there may be, in all and from one address. Any thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace millrace::http {

class Admission {
 public:
  // Held by a connection while it lives. The Admission must outlive it.
  class Ticket {
   public:
    Ticket() = default;
    Ticket(Ticket&& other) noexcept : from_(std::exchange(other.from_, nullptr)), key_(std::move(other.key_)) {}
    Ticket& operator=(Ticket&&) = delete;
    ~Ticket() {
      if (from_ != nullptr) from_->leave(key_);
    }
    // False: there are too many already.
    explicit operator bool() const { return from_ != nullptr; }

   private:
    friend class Admission;
    Ticket(Admission& from, std::string key) : from_(&from), key_(std::move(key)) {}
    Admission* from_ = nullptr;
    std::string key_;
  };

  Admission(std::size_t total_max, std::size_t per_address_max)
      : total_max_(total_max), per_address_max_(per_address_max) {}

  // An IPv6 address counts as its /64 network, since that is what one customer gets.
  Ticket enter(const boost::asio::ip::address& address);
  std::size_t total() const;
  std::uint64_t refused() const;  // so far
  // False if somebody is still in after that time.
  bool wait_until_empty(std::chrono::steady_clock::time_point deadline) const;

 private:
  void leave(const std::string& key);

  const std::size_t total_max_;
  const std::size_t per_address_max_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::size_t total_ = 0;                                 // guarded by mutex_
  std::uint64_t refused_ = 0;                             // guarded by mutex_
  absl::flat_hash_map<std::string, std::size_t> inside_;  // guarded by mutex_
};

}  // namespace millrace::http
