#include "load/scripts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "load/wire.h"

namespace millrace::load {
namespace {

using SharedPtr = std::shared_ptr<Shared>;

constexpr std::size_t kBodies = 512;  // enough that neighbours in a block of the store differ

std::string worker_name(std::size_t number) { return fmt::format("bench-{}:1", number); }

// The same request over and over: the no-op, the single create, a read.
class Repeat final : public Script {
 public:
  Repeat(SharedPtr shared, std::string_view step, std::string_view target, int status)
      : shared_(std::move(shared)), step_(step), target_(target), status_(status) {}

  Turn next(Instant, std::string& out) override {
    if (shared_->take(1) == 0) return Turn::done();
    if (step_ == "get") {
      append_get(out, target_);
    } else {
      append_post(out, target_, shared_->body());
    }
    return Turn::send(step_);
  }
  Verdict answered(Instant, int status, std::string_view) override { return {1, status == status_}; }

 private:
  SharedPtr shared_;
  std::string_view step_;
  std::string target_;
  int status_;
};

// create, claim, complete: three requests an item.
class ThreeStep final : public Script {
 public:
  ThreeStep(SharedPtr shared, std::size_t number)
      : shared_(std::move(shared)),
        worker_(worker_name(number)),
        claim_(fmt::format("/events/subscribe?tags={}&worker_id={}", kTag, worker_)) {}

  Turn next(Instant, std::string& out) override {
    switch (step_) {
      case Step::create:
        if (shared_->take(1) == 0) return Turn::done();
        append_post(out, "/events", shared_->body());
        return Turn::send("create");
      case Step::claim:
        append_get(out, claim_);
        return Turn::send("claim");
      case Step::complete:
        append_post(out, complete_target_, complete_body_);
        return Turn::send("complete");
    }
    return Turn::done();
  }

  Verdict answered(Instant, int status, std::string_view body) override {
    switch (step_) {
      case Step::create:
        step_ = Step::claim;
        return {0, status == 201};
      case Step::claim: {
        const auto leases = leases_in(body);
        if (status != 200 || leases.size() != 1) return {0, false};  // tries again
        complete_target_ = fmt::format("/events/{}/complete", leases[0].id);
        complete_body_ =
            fmt::format(R"({{"worker_id":"{}","lease_token":"{}","execution_time_ms":1250,"status_code":200}})",
                        worker_, leases[0].token);
        step_ = Step::complete;
        return {};
      }
      case Step::complete:
        step_ = Step::create;
        return {1, status == 200};
    }
    return {};
  }

 private:
  enum class Step { create, claim, complete };
  SharedPtr shared_;
  std::string worker_;
  std::string claim_;
  Step step_ = Step::create;
  std::string complete_target_;
  std::string complete_body_;
};

// A settle call that reports what is held and claims the next.
class Settler {
 public:
  Settler(std::size_t number, std::size_t limit) : worker_(worker_name(number)), limit_(limit) {}

  void append(std::string& out) {
    std::string body = fmt::format(R"({{"worker_id":"{}","settle":[)", worker_);
    for (std::size_t i = 0; i < held_.size(); ++i) {
      fmt::format_to(
          std::back_inserter(body),
          R"({}{{"id":{},"action":"complete","lease_token":"{}","execution_time_ms":1250,"status_code":200}})",
          i == 0 ? "" : ",", held_[i].first, held_[i].second);
    }
    fmt::format_to(std::back_inserter(body), R"(],"claim":{{"tags":"{}","limit":{}}}}})", kTag, limit_);
    append_post(out, "/events/settle", body);
  }

  // How many were settled; `expected` is false if one was not.
  Verdict answered(int status, std::string_view body) {
    if (status != 200) return {0, false};
    const std::string_view results = body.substr(0, body.find(R"("events":)"));
    std::uint64_t settled = 0;
    constexpr std::string_view kFine = R"("status":200)";
    for (auto at = results.find(kFine); at != results.npos; at = results.find(kFine, at + 1)) ++settled;
    const bool expected = settled == held_.size();
    held_.clear();
    for (const Lease& lease : leases_in(body)) held_.emplace_back(lease.id, lease.token);
    return {settled, expected};
  }

  std::size_t held() const { return held_.size(); }

 private:
  std::string worker_;
  std::size_t limit_;
  std::vector<std::pair<std::string, std::string>> held_;  // id, token
};

// create (one or a batch), then settle with claim: two requests an item or a batch.
class TwoStep final : public Script {
 public:
  TwoStep(SharedPtr shared, std::size_t number, std::size_t batch)
      : shared_(std::move(shared)), settler_(number, batch), batch_(batch) {
    if (batch > 1) array_ = make_array(shared_->bodies, number * 7, batch);
  }

  Turn next(Instant, std::string& out) override {
    if (creates_) {
      if (shared_->take(batch_) == 0) return Turn::done();
      append_post(out, "/events", batch_ > 1 ? array_ : shared_->body());
      return Turn::send("create");
    }
    settler_.append(out);
    return Turn::send("settle");
  }

  Verdict answered(Instant, int status, std::string_view body) override {
    const bool created = creates_;
    creates_ = !creates_;
    return created ? Verdict{0, status == 201} : settler_.answered(status, body);
  }

 private:
  SharedPtr shared_;
  Settler settler_;
  std::size_t batch_;
  std::string array_;
  bool creates_ = true;
};

// Arrays of items or events until the count is reached.
class Fill final : public Script {
 public:
  Fill(SharedPtr shared, std::string_view target, std::size_t number)
      : shared_(std::move(shared)), target_(target), from_(number * 7) {}

  Turn next(Instant, std::string& out) override {
    size_ = shared_->take(shared_->options.batch);
    if (size_ == 0) return Turn::done();
    if (size_ != arrayed_) array_ = make_array(shared_->bodies, from_, size_);
    arrayed_ = size_;
    append_post(out, target_, array_);
    return Turn::send("create");
  }
  Verdict answered(Instant, int status, std::string_view) override {
    return {status == 201 ? size_ : 0, status == 201};
  }

 private:
  SharedPtr shared_;
  std::string target_;
  std::string array_;
  std::uint64_t arrayed_ = 0;
  std::size_t from_;
  std::uint64_t size_ = 0;
};

// settle with claim until nothing is left.
class Drain final : public Script {
 public:
  Drain(const SharedPtr& shared, std::size_t number) : settler_(number, shared->options.batch) {}

  Turn next(Instant, std::string& out) override {
    if (empty_) return Turn::done();
    settler_.append(out);
    return Turn::send("settle");
  }
  Verdict answered(Instant, int status, std::string_view body) override {
    const Verdict verdict = settler_.answered(status, body);
    empty_ = settler_.held() == 0;
    return verdict;
  }

 private:
  Settler settler_;
  bool empty_ = false;
};

std::unique_ptr<Script> make_script(std::string_view scenario, const SharedPtr& shared, std::size_t number) {
  if (scenario == "ping") return std::make_unique<Repeat>(shared, "ping", "/api/ping", 200);
  if (scenario == "create") return std::make_unique<Repeat>(shared, "create", "/events", 201);
  if (scenario == "get") return std::make_unique<Repeat>(shared, "get", shared->options.target, 200);
  if (scenario == "three-step") return std::make_unique<ThreeStep>(shared, number);
  if (scenario == "two-step") return std::make_unique<TwoStep>(shared, number, 1);
  if (scenario == "bulk") return std::make_unique<TwoStep>(shared, number, shared->options.batch);
  if (scenario == "fill") return std::make_unique<Fill>(shared, "/events", number);
  if (scenario == "publish") return std::make_unique<Repeat>(shared, "publish", "/api/events", 201);
  if (scenario == "publish-many") return std::make_unique<Fill>(shared, "/api/events", number);
  if (scenario == "drain") return std::make_unique<Drain>(shared, number);
  throw std::invalid_argument(fmt::format("no scenario {}", scenario));
}

}  // namespace

std::string_view scenario_help() {
  return "  ping        POST /api/ping, the no-op, with the body of an item\n"
         "  create      POST /events, one item a request\n"
         "  get         GET the target given with --target\n"
         "  three-step  create, claim, complete\n"
         "  two-step    create, settle with claim\n"
         "  bulk        the same with arrays of --batch items\n"
         "  fill        arrays of --batch items until --count\n"
         "  publish       POST /api/events, one event a request\n"
         "  publish-many  the same with arrays of --batch events\n"
         "  drain       settle with claim of --batch items until nothing is ready\n"
         "  wake        a long poll and a publisher: --count times, one at a time\n";
}

std::uint64_t Shared::take(std::uint64_t wanted) {
  const std::uint64_t taken = std::min(wanted, left);
  left -= taken;
  return taken;
}

std::vector<Lease> leases_in(std::string_view body) {
  constexpr std::string_view kId = R"({"id":)";
  constexpr std::string_view kToken = R"("lease_token":")";
  std::vector<Lease> leases;
  std::size_t id_at = body.npos;
  // An item's id stands before its token, and results of a settle have an id but no token.
  for (std::size_t at = body.find(kToken); at != body.npos; at = body.find(kToken, at + 1)) {
    id_at = body.rfind(kId, at);
    if (id_at == body.npos) break;
    const std::size_t digits = id_at + kId.size();
    const std::size_t token = at + kToken.size();
    leases.push_back(
        {body.substr(digits, body.find(',', digits) - digits), body.substr(token, body.find('"', token) - token)});
  }
  return leases;
}

std::vector<std::unique_ptr<Script>> make_scripts(std::string_view scenario, const ScenarioOptions& options) {
  auto shared = std::make_shared<Shared>();
  shared->options = options;
  const bool events = scenario.starts_with("publish");
  shared->bodies = events ? make_events(options.sample, kBodies, 1) : make_bodies(options.sample, kBodies, 1);
  shared->left = options.count == 0 ? std::numeric_limits<std::uint64_t>::max() : options.count;
  if (scenario == "wake") return make_wake_scripts(shared);
  std::vector<std::unique_ptr<Script>> scripts;
  scripts.reserve(options.connections);
  for (std::size_t i = 0; i < options.connections; ++i) scripts.push_back(make_script(scenario, shared, i));
  return scripts;
}

}  // namespace millrace::load
