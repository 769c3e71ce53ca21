#include "load/bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace millrace::load {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz     ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

std::string letters(std::mt19937_64& random, std::size_t count) {
  std::string text;
  text.reserve(count);
  while (text.size() < count) text += kLetters[random() % kLetters.size()];
  return text;
}

// `body` up to the text that fills it, filled to the sample's size.
std::string filled(std::string body, std::string_view end, const Sample& sample, std::mt19937_64& random) {
  const std::size_t wanted = std::max(sample.bytes, body.size() + end.size());
  body += letters(random, wanted - body.size() - end.size());
  body += end;
  return body;
}

std::string make_event(const Sample& sample, std::size_t number, std::mt19937_64& random) {
  const auto order = random() % 1000;
  return filled(
      fmt::format(
          R"({{"type":"order.changed_{}","source":"shop","subject":"order:{}","correlationId":"req-{}",)"
          R"("contextData":[{{"key":"region","value":"r{}"}}],"data":{{"order":{},"amount":99.5,"items":3,"text":")",
          number % 10, order, random(), number % 4, order),
      R"("}})", sample, random);
}

std::string make_body(const Sample& sample, std::size_t number, std::mt19937_64& random) {
  const std::string lane = sample.lanes > 1 ? fmt::format(",lane-{}", number % sample.lanes) : "";
  const auto user = random() % 1'000'000;
  std::string body = fmt::format(
      R"({{"title":"Send welcome message {}","description":"Send the welcome message to a user who just signed up",)"
      R"("tags":"email,priority-high,{}{}","payload":{{"user_id":{},"email":"user{}@example.com","template":"welcome",)"
      R"("variables":{{"name":"Alice","signup_date":"2025-12-24"}},"text":")",
      number, kTag, lane, user, user);
  return filled(std::move(body), R"("}})", sample, random);
}

}  // namespace

std::vector<std::string> make_bodies(const Sample& sample, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> bodies;
  bodies.reserve(count);
  for (std::size_t number = 0; number < count; ++number) bodies.push_back(make_body(sample, number, random));
  return bodies;
}

std::vector<std::string> make_events(const Sample& sample, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> events;
  events.reserve(count);
  for (std::size_t number = 0; number < count; ++number) events.push_back(make_event(sample, number, random));
  return events;
}

std::string make_array(const std::vector<std::string>& bodies, std::size_t from, std::size_t count) {
  std::string array = "[";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) array += ',';
    array += bodies[(from + i) % bodies.size()];
  }
  array += ']';
  return array;
}

}  // namespace millrace::load
