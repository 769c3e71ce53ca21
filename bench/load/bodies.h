// Sample work items as JSON: realistic fields, an exact size, text that does not compress to nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::load {

// The tag that every sample carries and that claims ask for.
inline constexpr std::string_view kTag = "notification";

struct Sample {
  std::size_t bytes = 940;
  // Samples differ in a tag of their own so often; each makes a ready set of its own in the server.
  std::size_t lanes = 1;
};

// `count` bodies of exactly sample.bytes (at least 400). The same seed gives the same bodies.
std::vector<std::string> make_bodies(const Sample& sample, std::size_t count, std::uint64_t seed);

// The same as events to publish: ten types, a thousand orders.
std::vector<std::string> make_events(const Sample& sample, std::size_t count, std::uint64_t seed);

// A JSON array of `count` of them, starting anywhere in `bodies`.
std::string make_array(const std::vector<std::string>& bodies, std::size_t from, std::size_t count);

}  // namespace millrace::load
