#include "cli/publish_events.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <charconv>
#include <ostream>

#include "base/assert.h"
#include "base/ids.h"
#include "base/time.h"
#include "cli/answer.h"
#include "event/recognise.h"
#include "json/compact.h"
#include "json/escape.h"
#include "json/parse.h"

namespace millrace::cli {
namespace {

constexpr Millis kPatience = std::chrono::minutes(1);
constexpr Millis kLongestPause = std::chrono::seconds(30);

bool is_busy(const http::ClientResponse& answer) { return answer.status == 429 || answer.status == 503; }

// What the server asks for, in seconds; a second where it does not say.
Millis pause_of(const http::ClientResponse& answer) {
  const std::string_view text = answer.header("Retry-After").value_or("");
  std::int64_t seconds = 0;
  const bool said = std::from_chars(text.data(), text.data() + text.size(), seconds).ec == std::errc{};
  if (!said || seconds < 1) return std::chrono::seconds(1);
  return std::min<Millis>(std::chrono::seconds(std::min<std::int64_t>(seconds, 3600)), kLongestPause);
}

// "\"[3].type\": is missing" is about one line here, which is named in front: the place in the array goes.
std::string without_index(std::string text) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']', open);
  if (open > 1 || close == text.npos) return text;  // npos is greater than 1
  const std::string_view digits = std::string_view(text).substr(open + 1, close - open - 1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) return text;
  std::size_t end = close + 1;
  if (end < text.size() && text[end] == '.') ++end;
  text.erase(open, end - open);
  return text.starts_with("\"\": ") ? text.substr(4) : text;
}

}  // namespace

http::ClientResponse call_patiently(Api& api, const Call& call, Session& session, bool answered_before) {
  Millis waited{0};
  for (Millis step = std::chrono::seconds(1);; step = std::min(step * 2, kLongestPause)) {
    Millis pause = step;
    try {
      http::ClientResponse answer = api.call(call);
      if (!is_busy(answer) || waited >= kPatience) return answer;
      answered_before = true;
      pause = pause_of(answer);
    } catch (const Failure& failure) {
      if (!answered_before || failure.exit() != Exit::unreachable || waited >= kPatience) throw;
    }
    session.pause(pause);
    waited += pause;
  }
}

std::string make_event_id() {
  std::array<std::uint8_t, 10> noise{};
  MR_ASSERT(::getrandom(noise.data(), noise.size(), 0) == static_cast<ssize_t>(noise.size()), "the kernel has noise");
  return make_uuid_v7(to_ms(SystemClock().now()), noise);
}

std::string with_id(json::Value event, const std::string& new_id) {
  std::string text;
  json::append_compact(text, event);
  const auto form = event::recognise(event);
  const bool optional = form && (*form == event::Envelope::native || *form == event::Envelope::keyed);
  if (!optional || event.find("eventId") || event.find("deduplicationId")) return text;
  std::string member = "\"eventId\":";
  json::append_string(member, new_id);
  return text.insert(1, member + ",");
}

Publisher::Publisher(Api& api, std::string source, Session& session)
    : api_(api), source_(std::move(source)), session_(session) {}

void Publisher::add(json::Value event, std::uint64_t line) {
  const std::string text = with_id(event, make_event_id());
  if (lines_.size() == kPublishEvents || (!lines_.empty() && body_.size() + text.size() > kPublishBytes)) send();
  body_ += lines_.empty() ? "[" : ",";
  body_ += text;
  lines_.push_back(line);
}

void Publisher::refuse(std::uint64_t line, std::string why) {
  ++published_.refused;
  if (published_.refusals.size() < kToldRefusals) published_.refusals.push_back({line, std::move(why)});
}

void Publisher::send() {
  if (lines_.empty()) return;
  body_ += "]";
  const Call call{.method = http::Method::post, .target = "/api/events?partial=true", .body = std::move(body_)};
  body_.clear();
  try {
    http::ClientResponse answer = call_patiently(api_, call, session_, answered_);
    if (answer.status >= 400) stop(Exit::refused, refusal(answer));
    answered_ = true;
    take_answer(std::move(answer));
  } catch (const Failure& failure) {
    if (failure.exit() != Exit::unreachable) throw;
    stop(failure.exit(), std::string(failure.what()) + "; they may or may not have been published");
  }
  lines_.clear();
  show_progress("");
}

void Publisher::take_answer(http::ClientResponse answer) {
  const json::Document document = accepted(std::move(answer));
  const std::optional<json::Value> items = document.root().find("items");
  if (!items || !items->is(json::Kind::array) || items->size() != lines_.size()) {
    throw Failure(Exit::refused, "the server answered an array of events with something else");
  }
  auto line = lines_.begin();
  for (const json::Value item : items->elements()) {
    if (const auto error = item.find("error")) {
      refuse(*line, without_index(text_of(*error, "detail")));
    } else {
      const auto duplicate = item.find("duplicate");
      ++(duplicate && duplicate->is(json::Kind::boolean) && duplicate->get_bool() ? published_.duplicates
                                                                                  : published_.accepted);
    }
    ++line;
  }
}

Published Publisher::finish() {
  send();
  show_progress("\n");
  std::ranges::sort(published_.refusals, {}, &LineRefusal::line);
  return std::move(published_);
}

void Publisher::stop(Exit exit, const std::string& why) {
  show_progress("\n");
  throw Failure(exit, fmt::format("{} lines {} to {}: {} ({} accepted and {} duplicates before them)", source_,
                                  lines_.front(), lines_.back(), why, published_.accepted, published_.duplicates));
}

void Publisher::show_progress(std::string_view end) {
  if (!session_.err_terminal.interactive) return;
  session_.err << fmt::format("\rpublished {}", published_.accepted + published_.duplicates) << end << std::flush;
}

}  // namespace millrace::cli
