#include "api/queue_outcomes.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "api/first_error.h"
#include "api/queue_new_items.h"
#include "api/queue_view.h"
#include "base/limits.h"
#include "json/object_reader.h"

namespace millrace::api {
namespace {

using json::ObjectReader;

constexpr std::int64_t kStatusCodeMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kStatusCodeMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kAttemptMax = std::numeric_limits<std::uint32_t>::max();
constexpr auto kIntMax = static_cast<std::int64_t>(kIdMax);

std::unexpected<Error> refuse(const ObjectReader& body, std::string_view key, std::string_view rule) {
  std::string path = body.path_of(key);
  std::string detail = fmt::format("\"{}\" {}", path, rule);
  return fail(Errc::invalid, std::move(detail), std::move(path));
}

Result<std::string> read_worker(const ObjectReader& body) {
  Result<std::string> worker = body.required_string("worker_id", limits::kWorkerIdBytesMax);
  if (worker && worker->empty()) return refuse(body, "worker_id", "must not be empty");
  return worker;
}

// `otherwise` is the worker that the whole call names, if it does.
Result<std::string> read_worker_or(const ObjectReader& body, const std::optional<std::string>& otherwise) {
  if (otherwise && !body.optional_value("worker_id")) return *otherwise;
  return read_worker(body);
}

Result<std::optional<LeaseToken>> read_token(const ObjectReader& body) {
  const Result<std::optional<std::string>> text = body.optional_string("lease_token", 64);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  const std::optional<LeaseToken> token = parse_token(**text);
  if (!token) return refuse(body, "lease_token", "must be 16 hexadecimal digits");
  return token;
}

Result<shard::Holder> read_lease(const ObjectReader& body, ItemId item,
                                 const std::optional<std::string>& worker_of_call = {}) {
  FirstError error;
  shard::Holder holder{.item = item, .worker = {}, .attempt = {}, .token = {}};
  holder.worker = error.take(read_worker_or(body, worker_of_call));
  holder.token = error.take(read_token(body));
  const std::optional<std::int64_t> attempt = error.take(body.optional_int("attempt", 1, kAttemptMax));
  if (error.failed()) return error.give();
  if (attempt) holder.attempt = static_cast<std::uint32_t>(*attempt);
  return holder;
}

Result<shard::Outcome> read_result(const ObjectReader& body, shard::Holder holder, Verdict verdict) {
  FirstError error;
  shard::Outcome outcome;
  outcome.holder = std::move(holder);
  outcome.success = verdict == Verdict::complete;
  outcome.status_code = error.take(body.optional_int("status_code", kStatusCodeMin, kStatusCodeMax));
  outcome.execution_time_ms = error.take(body.optional_int("execution_time_ms", 0, kIntMax));
  outcome.error_message = error.take(body.optional_string("error_message", limits::kErrorMessageBytesMax));
  if (error.failed()) return error.give();
  return outcome;
}

Result<Verdict> read_action(const ObjectReader& body) {
  const Result<std::string> action = body.required_string("action", 64);
  if (!action) return std::unexpected(action.error());
  if (*action == "complete") return Verdict::complete;
  if (*action == "fail") return Verdict::fail;
  return refuse(body, "action", "must be \"complete\" or \"fail\"");
}

Result<shard::Outcome> read_entry(json::Value entry, std::string path, const std::optional<std::string>& worker) {
  const Result<ObjectReader> body = ObjectReader::open(entry, std::move(path));
  if (!body) return std::unexpected(body.error());
  FirstError error;
  const std::int64_t id = error.take(body->required_int("id", 1, kIntMax));
  const Verdict verdict = error.take(read_action(*body));
  shard::Holder holder = error.take(read_lease(*body, ItemId{static_cast<std::uint64_t>(id)}, worker));
  if (error.failed()) return error.give();
  return read_result(*body, std::move(holder), verdict);
}

Result<std::vector<shard::Outcome>> read_entries(json::Value entries, std::string_view path,
                                                 const std::optional<std::string>& worker) {
  if (entries.size() > limits::kSettlesPerCallMax) {
    return fail(Errc::invalid, fmt::format("at most {} entries in one call", limits::kSettlesPerCallMax),
                std::string(path));
  }
  std::vector<shard::Outcome> outcomes;
  outcomes.reserve(entries.size());
  for (const json::Value entry : entries.elements()) {
    Result<shard::Outcome> outcome = read_entry(entry, json::element_path(path, outcomes.size()), worker);
    if (!outcome) return std::unexpected(std::move(outcome.error()));
    outcomes.push_back(*std::move(outcome));
  }
  return outcomes;
}

Result<shard::Claim> read_claim(const ObjectReader& body, const std::string& worker, const queue::QueueKey& queue,
                                const QueueSettings& settings) {
  FirstError error;
  shard::Claim claim{.queue = queue, .tags = {}, .worker = worker, .lease = settings.lease};
  claim.tags = error.take(read_tags(body, limits::kTagsPerClaimMax));
  const auto limit = error.take(body.optional_int("limit", 1, limits::kClaimLimitMax)).value_or(1);
  claim.limit = static_cast<std::size_t>(limit);
  claim.wait = std::chrono::seconds(error.take(body.optional_int("wait", 0, limits::kClaimWaitSecondsMax)).value_or(0));
  if (error.failed()) return error.give();
  if (claim.tags.empty()) return refuse(body, "tags", "is required");
  return claim;
}

Result<SettleRequest> read_settle_object(const ObjectReader& body, const queue::QueueKey& queue,
                                         const QueueSettings& settings) {
  FirstError error;
  SettleRequest request;
  std::optional<std::string> worker;
  if (body.optional_value("worker_id")) worker = error.take(read_worker(body));
  const auto entries = error.take(body.optional_array("settle", limits::kSettlesPerCallMax));
  const auto claim = error.take(body.optional_object("claim"));
  if (error.failed()) return error.give();
  if (!entries && !claim) return refuse(body, "settle", "or \"claim\" is required");
  if (entries) request.outcomes = error.take(read_entries(*entries, "settle", worker));
  if (claim && !worker) return refuse(body, "worker_id", "is required with a claim");
  if (claim) {
    Result<shard::Claim> wanted = read_claim(*claim, *worker, queue, settings);
    if (!wanted) return std::unexpected(std::move(wanted.error()));
    request.claim = *std::move(wanted);
  }
  if (error.failed()) return error.give();
  return request;
}

}  // namespace

Result<shard::Holder> read_holder(json::Value value, ItemId item) {
  const Result<ObjectReader> body = ObjectReader::open(value);
  if (!body) return std::unexpected(body.error());
  return read_lease(*body, item);
}

Result<shard::Outcome> read_outcome(json::Value value, ItemId item, Verdict verdict) {
  const Result<ObjectReader> body = ObjectReader::open(value);
  if (!body) return std::unexpected(body.error());
  Result<shard::Holder> holder = read_lease(*body, item);
  if (!holder) return std::unexpected(std::move(holder.error()));
  return read_result(*body, *std::move(holder), verdict);
}

Result<SettleRequest> read_settle(json::Value value, const queue::QueueKey& queue, const QueueSettings& settings) {
  if (value.is(json::Kind::array)) {
    Result<std::vector<shard::Outcome>> outcomes = read_entries(value, "", std::nullopt);
    if (!outcomes) return std::unexpected(std::move(outcomes.error()));
    return SettleRequest{.outcomes = *std::move(outcomes), .claim = {}};
  }
  const Result<ObjectReader> body = ObjectReader::open(value);
  if (!body) return std::unexpected(body.error());
  return read_settle_object(*body, queue, settings);
}

std::optional<ItemId> parse_item_id(std::string_view text) {
  std::uint64_t value = 0;
  if (text.empty() || text.front() == '0') return std::nullopt;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size() || value > kIdMax) return std::nullopt;
  return ItemId{value};
}

}  // namespace millrace::api
