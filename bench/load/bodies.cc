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

std::string make_body(const Sample& sample, std::size_t number, std::mt19937_64& random) {
  const std::string lane = sample.lanes > 1 ? fmt::format(",lane-{}", number % sample.lanes) : "";
  const auto user = random() % 1'000'000;
  std::string body = fmt::format(
      R"({{"title":"Send welcome message {}","description":"Send the welcome message to a user who just signed up",)"
      R"("tags":"email,priority-high,{}{}","payload":{{"user_id":{},"email":"user{}@example.com","template":"welcome",)"
      R"("variables":{{"name":"Alice","signup_date":"2025-12-24"}},"text":")",
      number, kTag, lane, user, user);
  constexpr std::string_view kEnd = R"("}})";
  const std::size_t wanted = std::max(sample.bytes, body.size() + kEnd.size());
  body += letters(random, wanted - body.size() - kEnd.size());
  body += kEnd;
  return body;
}

}  // namespace

std::vector<std::string> make_bodies(const Sample& sample, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> bodies;
  bodies.reserve(count);
  for (std::size_t number = 0; number < count; ++number) bodies.push_back(make_body(sample, number, random));
  return bodies;
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
