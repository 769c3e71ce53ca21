#include "api/queue_new_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "api/first_error.h"
#include "api/tags.h"
#include "base/bytes.h"
#include "base/digest.h"
#include "base/limits.h"
#include "json/compact.h"

namespace millrace::api {
namespace {

using json::ObjectReader;

// Longer than any allowed list of tags: its real bounds are those of check_tags().
constexpr std::size_t kTagsTextBytesMax = limits::kTagsPerItemMax * (limits::kTagBytesMax + 8);

std::unexpected<Error> refuse(const ObjectReader& body, std::string_view key, std::string_view rule) {
  std::string path = body.path_of(key);
  std::string detail = fmt::format("\"{}\" {}", path, rule);
  return fail(Errc::invalid, std::move(detail), std::move(path));
}

Result<std::string> read_title(const ObjectReader& body) {
  Result<std::string> title = body.required_string("title", limits::kTitleBytesMax);
  if (title && title->find_first_not_of(" \t\r\n") == title->npos) return refuse(body, "title", "must not be empty");
  return title;
}

Result<std::string> read_payload(const ObjectReader& body, std::size_t bytes_max) {
  const std::optional<json::Value> value = body.optional_value("payload");
  if (!value) return "null";
  const std::size_t size = json::compact_size(*value);
  if (size > bytes_max) {
    std::string path = body.path_of("payload");
    std::string detail = fmt::format("\"{}\" has {} bytes, the limit is {} bytes", path, size, bytes_max);
    return fail(Errc::too_large, std::move(detail), std::move(path));
  }
  std::string payload;
  payload.reserve(size);
  json::append_compact(payload, *value);
  return payload;
}

// The calendar repeats itself every 400 years: what is a time then and none now lies before 1970.
bool is_before_1970(std::string_view text) {
  int year = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + std::min<std::size_t>(4, text.size()), year);
  if (error != std::errc() || end != text.data() + 4 || year < 0 || year > 1970) return false;
  const int later = 2000 + year % 400;
  return parse_time(fmt::format("{:04}{}", later, text.substr(4))) && !parse_time(text);
}

Result<std::optional<Time>> read_run_at(const ObjectReader& body, Time now) {
  Result<std::optional<Time>> run_at = body.optional_time("run_at");
  const auto sent = run_at ? std::nullopt : body.optional_value("run_at");
  if (sent && sent->is(json::Kind::string) && is_before_1970(sent->get_string())) {
    return refuse(body, "run_at", "must not be before 1970");
  }
  if (run_at && *run_at && **run_at > now + std::chrono::days(limits::kRunAtDaysMax)) {
    return refuse(body, "run_at", fmt::format("may be {} days ahead at most", limits::kRunAtDaysMax));
  }
  return run_at;
}

Result<std::optional<Millis>> read_seconds(const ObjectReader& body, std::string_view key) {
  const std::optional<json::Value> value = body.optional_value(key);
  if (!value || value->is(json::Kind::null)) return std::nullopt;
  constexpr double kMax = std::chrono::duration<double>(limits::kBackoffMax).count();
  const std::optional<double> seconds = value->as_double();
  if (!seconds || *seconds < 0 || *seconds > kMax) {
    return refuse(body, key, fmt::format("must be a number of seconds from 0 to {:.0f}", kMax));
  }
  return Millis(std::llround(*seconds * 1000));
}

Result<std::optional<queue::Backoff>> read_kind(const ObjectReader& body) {
  const Result<std::optional<std::string>> kind = body.optional_string("kind", 64);
  if (!kind) return std::unexpected(kind.error());
  if (!*kind) return std::nullopt;
  if (**kind == "fixed") return queue::Backoff::fixed;
  if (**kind == "exponential") return queue::Backoff::exponential;
  return refuse(body, "kind", "must be \"fixed\" or \"exponential\"");
}

// What the sender says of the pauses between tries.
struct SaidBackoff {
  std::optional<queue::Backoff> kind;
  std::optional<bool> jitter;
  std::optional<Millis> base;
  std::optional<Millis> cap;

  bool any() const { return kind || jitter || base || cap; }
  // What is left out is as `otherwise` has it.
  queue::RetryPolicy over(const queue::RetryPolicy& otherwise) const {
    const Millis wait = base.value_or(otherwise.base);
    return {.kind = kind.value_or(otherwise.kind),
            .jitter = jitter.value_or(otherwise.jitter),
            .base = wait,
            .cap = cap.value_or(std::max(otherwise.cap, wait))};
  }
};

Result<SaidBackoff> read_backoff(const ObjectReader& item, const queue::RetryPolicy& otherwise) {
  const Result<std::optional<ObjectReader>> body = item.optional_object("backoff");
  if (!body) return std::unexpected(body.error());
  SaidBackoff said;
  if (!*body) return said;
  FirstError error;
  said.kind = error.take(read_kind(**body));
  said.base = error.take(read_seconds(**body, "seconds"));
  said.cap = error.take(read_seconds(**body, "max_seconds"));
  said.jitter = error.take((*body)->optional_bool("jitter"));
  if (error.failed()) return error.give();
  const queue::RetryPolicy policy = said.over(otherwise);
  if (policy.cap < policy.base) return refuse(**body, "max_seconds", "must not be less than seconds");
  return said;
}

Result<std::optional<std::string>> read_idempotency_key(const ObjectReader& body) {
  Result<std::optional<std::string>> key = body.optional_string("idempotency_key", limits::kIdempotencyKeyBytesMax);
  if (key && *key && (*key)->empty()) return refuse(body, "idempotency_key", "must not be empty");
  return key;
}

// Of everything the sender said, so that the same request again is told from another one. What it leaves out
// counts as the built-in default, never as this server's: the same request is the same under other options too.
std::string fingerprint_of(const shard::NewItem& item, const SaidBackoff& backoff) {
  const queue::RetryPolicy retry = backoff.over({});
  std::string fields;
  put_string(fields, item.body->title);
  put_u8(fields, item.body->description ? 1 : 0);
  put_string(fields, item.body->description.value_or(""));
  put_string(fields, item.body->tags);
  put_string(fields, item.body->payload);
  put_varint(fields, item.max_retries);
  put_zigzag(fields, item.priority);
  put_zigzag(fields, item.run_at ? to_ms(*item.run_at) : -1);
  put_u8(fields, static_cast<std::uint8_t>(retry.kind));
  put_u8(fields, retry.jitter ? 1 : 0);
  put_zigzag(fields, retry.base.count());
  put_zigzag(fields, retry.cap.count());
  // A default that is said is not the same as none: another server's may be another.
  if (backoff.any()) {
    for (const bool said :
         {backoff.kind.has_value(), backoff.jitter.has_value(), backoff.base.has_value(), backoff.cap.has_value()}) {
      put_u8(fields, said ? 1 : 0);
    }
  }
  return sha256(fields);
}

Result<shard::NewItem> read_new_item(json::Value value, std::string path, const QueueSettings& settings, Time now) {
  const Result<ObjectReader> body = ObjectReader::open(value, std::move(path));
  if (!body) return std::unexpected(body.error());
  constexpr std::int64_t kPriorityMax = limits::kPriorityMax;
  FirstError error;
  shard::NewItem item;
  item.body = std::make_shared<queue::Body>();
  item.body->title = error.take(read_title(*body));
  item.body->description = error.take(body->optional_string("description", limits::kDescriptionBytesMax));
  std::vector<std::string> tags = error.take(read_tags(*body, limits::kTagsPerItemMax));
  item.body->tags = join_tags(tags);
  item.tags = sorted_tags(std::move(tags));
  item.body->payload = error.take(read_payload(*body, settings.payload_bytes_max));
  item.max_retries = static_cast<std::uint32_t>(
      error.take(body->optional_int("max_retries", 0, limits::kMaxRetriesMax)).value_or(item.max_retries));
  item.priority =
      static_cast<std::int32_t>(error.take(body->optional_int("priority", -kPriorityMax, kPriorityMax)).value_or(0));
  item.run_at = error.take(read_run_at(*body, now));
  const SaidBackoff backoff = error.take(read_backoff(*body, settings.backoff));
  item.retry = backoff.over(settings.backoff);
  item.idempotency_key = error.take(read_idempotency_key(*body));
  if (error.failed()) return error.give();
  if (item.idempotency_key) {
    item.fingerprint = fingerprint_of(item, backoff);
    item.key_field = body->path_of("idempotency_key");
  }
  return item;
}

}  // namespace

Result<std::vector<std::string>> read_tags(const ObjectReader& body, std::size_t count_max) {
  const std::optional<json::Value> value = body.optional_value("tags");
  if (!value || value->is(json::Kind::null)) return std::vector<std::string>{};
  std::vector<std::string> tags;
  if (value->is(json::Kind::array)) {
    auto listed = body.optional_strings("tags", count_max, limits::kTagBytesMax);
    if (!listed) return std::unexpected(std::move(listed.error()));
    for (std::string& tag : **listed) {
      if (std::ranges::find(tags, tag) == tags.end()) tags.push_back(std::move(tag));
    }
  } else if (value->is(json::Kind::string)) {
    const Result<std::string> text = body.required_string("tags", kTagsTextBytesMax);
    if (!text) return std::unexpected(text.error());
    tags = split_tags(*text);
  } else {
    return refuse(body, "tags", "must be a comma separated string or an array of strings");
  }
  const Result<void> fine = check_tags(tags, count_max, Errc::invalid, body.path_of("tags"));
  if (!fine) return std::unexpected(fine.error());
  return tags;
}

Result<CreateRequest> read_create(json::Value body, const QueueSettings& settings, Time now) {
  CreateRequest request{.items = {}, .is_array = body.is(json::Kind::array)};
  if (!request.is_array) {
    Result<shard::NewItem> item = read_new_item(body, "", settings, now);
    if (!item) return std::unexpected(std::move(item.error()));
    request.items.push_back(*std::move(item));
    return request;
  }
  if (body.size() == 0 || body.size() > limits::kItemsPerCreateMax) {
    return fail(Errc::invalid,
                fmt::format("an array must have 1 to {} items, not {}", limits::kItemsPerCreateMax, body.size()));
  }
  request.items.reserve(body.size());
  for (const json::Value element : body.elements()) {
    Result<shard::NewItem> item = read_new_item(element, json::element_path("", request.items.size()), settings, now);
    if (!item) return std::unexpected(std::move(item.error()));
    request.items.push_back(*std::move(item));
  }
  return request;
}

}  // namespace millrace::api
