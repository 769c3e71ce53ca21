#include "http/admission.h"

namespace millrace::http {

namespace {

std::string key_of(const boost::asio::ip::address& address) {
  if (address.is_v4()) {
    const auto bytes = address.to_v4().to_bytes();
    return std::string(bytes.begin(), bytes.end());
  }
  // On a listener for both families IPv4 peers appear like this; they are not one network.
  if (address.to_v6().is_v4_mapped())
    return key_of(boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6()));
  const auto bytes = address.to_v6().to_bytes();
  return std::string(bytes.begin(), bytes.begin() + 8);
}

}  // namespace

Admission::Ticket Admission::enter(const boost::asio::ip::address& address) {
  std::string key = key_of(address);
  std::lock_guard lock(mutex_);
  const auto inside = inside_.find(key);
  if (total_ >= total_max_ || (inside != inside_.end() && inside->second >= per_address_max_)) {
    ++refused_;
    return {};
  }
  ++inside_[key];
  ++total_;
  return Ticket(*this, std::move(key));
}

void Admission::leave(const std::string& key) {
  std::lock_guard lock(mutex_);
  const auto found = inside_.find(key);
  if (--found->second == 0) inside_.erase(found);
  if (--total_ == 0) changed_.notify_all();
}

std::size_t Admission::total() const {
  std::lock_guard lock(mutex_);
  return total_;
}

std::uint64_t Admission::refused() const {
  std::lock_guard lock(mutex_);
  return refused_;
}

bool Admission::wait_until_empty(std::chrono::steady_clock::time_point deadline) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [this] { return total_ == 0; });
}

}  // namespace millrace::http
