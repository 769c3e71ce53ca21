// The scenarios: what clients of a queue do all day.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "load/bodies.h"
#include "load/script.h"

namespace millrace::load {

struct ScenarioOptions {
  std::size_t connections = 64;
  // Items (or requests, where a scenario has no items) in all, shared by the connections; 0 = no end.
  std::uint64_t count = 0;
  std::size_t batch = 100;  // items in one request, where a scenario sends many
  Sample sample;
  std::string target;  // of scenario "get"
};

// One script a connection. Throws std::invalid_argument for a name that scenario_help() does not list.
std::vector<std::unique_ptr<Script>> make_scripts(std::string_view scenario, const ScenarioOptions& options);

// Names and one line about each.
std::string_view scenario_help();

// What many scripts share; outlives them all by shared ownership.
struct Shared {
  ScenarioOptions options;
  std::vector<std::string> bodies;
  std::uint64_t left = 0;  // of options.count
  std::size_t next_body = 0;

  // Takes up to `wanted` from the count; fewer or none at its end.
  std::uint64_t take(std::uint64_t wanted);
  const std::string& body() { return bodies[next_body++ % bodies.size()]; }
};

// A lease as a claim's answer tells it; views into the answer.
struct Lease {
  std::string_view id;
  std::string_view token;
};
// Every claimed item in an answer of subscribe or settle. Sample bodies have no such members of their own.
std::vector<Lease> leases_in(std::string_view body);

// wake.cc: a waiter, and a publisher that times how long its items take to reach it.
std::vector<std::unique_ptr<Script>> make_wake_scripts(const std::shared_ptr<Shared>& shared);

}  // namespace millrace::load
