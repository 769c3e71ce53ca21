// Something that happens once and that a wait may want to end early for: the peer left, the server
// drains. Lives on one io thread; every call comes from that thread.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace millrace::async {

class Signal {
 public:
  using Callback = std::move_only_function<void()>;

  // Forgets its callback when it goes. The signal must outlive it.
  class Subscription {
   public:
    Subscription() = default;
    Subscription(Subscription&& other) noexcept
        : signal_(std::exchange(other.signal_, nullptr)), number_(other.number_) {}
    Subscription& operator=(Subscription&&) = delete;
    ~Subscription();

   private:
    friend class Signal;
    Subscription(Signal& signal, std::uint64_t number) : signal_(&signal), number_(number) {}
    Signal* signal_ = nullptr;
    std::uint64_t number_ = 0;
  };

  Signal() = default;
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  bool raised() const { return raised_; }
  // Runs every callback once, inside this call. Raising again does nothing.
  void raise();
  // REQUIRES: not raised yet.
  [[nodiscard]] Subscription subscribe(Callback callback);

 private:
  bool raised_ = false;
  std::uint64_t next_ = 0;
  std::vector<std::pair<std::uint64_t, Callback>> callbacks_;
};

}  // namespace millrace::async
