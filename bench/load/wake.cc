// Long poll to answer on an idle server: the publisher sends only once the waiter is surely held. The step
// "wake" is the time from the publisher's first byte to the waiter's answer.
#include <fmt/format.h>

#include <memory>

#include "load/scripts.h"
#include "load/wire.h"

namespace millrace::load {
namespace {

constexpr auto kSettled = std::chrono::milliseconds(4);  // far longer than a request takes to be held

struct Meeting {
  Instant held{};  // when the waiter's request left; zero while there is none
  Instant published{};
  bool over = false;
};

class Waiter final : public Script {
 public:
  Waiter(std::shared_ptr<Shared> shared, std::shared_ptr<Meeting> meeting)
      : shared_(std::move(shared)), meeting_(std::move(meeting)) {}

  Turn next(Instant now, std::string& out) override {
    if (!complete_body_.empty()) {
      append_post(out, complete_target_, complete_body_);
      return Turn::send("complete");
    }
    meeting_->over = shared_->take(1) == 0;
    if (meeting_->over) return Turn::done();
    meeting_->held = now;
    append_get(out, fmt::format("/events/subscribe?tags={}&worker_id=waiter:1&wait=20", kTag));
    return Turn::send("wake");
  }

  Verdict answered(Instant, int status, std::string_view body) override {
    if (!complete_body_.empty()) {
      complete_body_.clear();
      return {0, status == 200};
    }
    meeting_->held = {};
    const auto leases = leases_in(body);
    if (status != 200 || leases.size() != 1) return {0, false};
    complete_target_ = fmt::format("/events/{}/complete", leases[0].id);
    complete_body_ = fmt::format(R"({{"worker_id":"waiter:1","lease_token":"{}"}})", leases[0].token);
    return {1, true, meeting_->published};
  }

 private:
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<Meeting> meeting_;
  std::string complete_target_;
  std::string complete_body_;
};

class Publisher final : public Script {
 public:
  Publisher(std::shared_ptr<Shared> shared, std::shared_ptr<Meeting> meeting)
      : shared_(std::move(shared)), meeting_(std::move(meeting)) {}

  Turn next(Instant now, std::string& out) override {
    if (meeting_->over) return Turn::done();
    const bool held = meeting_->held > meeting_->published && now - meeting_->held >= kSettled;
    if (!held) return Turn::wait(std::chrono::milliseconds(1));
    append_post(out, "/events", shared_->body());
    meeting_->published = Clock::now();
    return Turn::send("create");
  }
  Verdict answered(Instant, int status, std::string_view) override { return {0, status == 201}; }

 private:
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<Meeting> meeting_;
};

}  // namespace

std::vector<std::unique_ptr<Script>> make_wake_scripts(const std::shared_ptr<Shared>& shared) {
  const auto meeting = std::make_shared<Meeting>();
  std::vector<std::unique_ptr<Script>> scripts;
  scripts.push_back(std::make_unique<Waiter>(shared, meeting));
  scripts.push_back(std::make_unique<Publisher>(shared, meeting));
  return scripts;
}

}  // namespace millrace::load
