// Runs seeded histories. See README.md.
#include <fmt/format.h>

#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "history.h"
#include "violation.h"

namespace millrace::simulation {
namespace {

constexpr int kStepsDefault = 150;
// Running twice costs twice, so only every so many seeds are compared with themselves.
constexpr std::uint64_t kRepeatEvery = 50;
constexpr std::uint64_t kFailuresShown = 20;

struct Arguments {
  std::optional<std::uint64_t> seed;
  std::uint64_t seeds = 1000;
  std::uint64_t first = 1;
  int steps = kStepsDefault;
  bool trace = false;
};

// For the message of a crash: a broken assertion aborts and says nothing about seeds.
volatile std::uint64_t current_seed = 0;

void say_seed(int signal) {
  char text[96];
  char* end = text;
  const auto add = [&](const char* part) {
    const std::size_t size = std::strlen(part);
    std::memcpy(end, part, size);
    end += size;
  };
  add("crashed; replay: ./dev sim --seed ");
  end = std::to_chars(end, text + sizeof text, std::uint64_t{current_seed}).ptr;
  add(" --trace\n");
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, static_cast<std::size_t>(end - text));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

struct Ended {
  std::uint64_t digest = 0;
  std::string violation;  // "" if all promises held
};

Ended run_seed(std::uint64_t seed, int steps, Trace::Output output) {
  current_seed = seed;
  Trace trace(output);
  try {
    History history(seed, trace);
    history.run(steps);
  } catch (const Violation& violation) {
    return {trace.digest(), violation.what()};
  }
  return {trace.digest(), ""};
}

Ended run_and_compare(std::uint64_t seed, int steps) {
  Ended ended = run_seed(seed, steps, Trace::Output::none);
  if (!ended.violation.empty() || seed % kRepeatEvery != 0) return ended;
  if (run_seed(seed, steps, Trace::Output::none).digest != ended.digest) ended.violation = "two runs of it differ";
  return ended;
}

int run_one(const Arguments& arguments) {
  const Ended ended =
      run_seed(*arguments.seed, arguments.steps, arguments.trace ? Trace::Output::print : Trace::Output::none);
  fmt::print("seed {}: digest {:016x}\n", *arguments.seed, ended.digest);
  if (ended.violation.empty()) {
    fmt::print("1 passed, 0 failed\n");
    return 0;
  }
  fmt::print("violation: {}\n0 passed, 1 failed\n", ended.violation);
  return 1;
}

int run_many(const Arguments& arguments) {
  std::uint64_t failed = 0;
  for (std::uint64_t i = 0; i < arguments.seeds; ++i) {
    const std::uint64_t seed = arguments.first + i;
    const Ended ended = run_and_compare(seed, arguments.steps);
    if (!ended.violation.empty() && ++failed <= kFailuresShown) {
      fmt::print("seed {}: {}\n  replay: ./dev sim --seed {} --trace\n", seed, ended.violation, seed);
      std::fflush(stdout);
    }
    if ((i + 1) % 10'000 == 0) fmt::print(stderr, "{} of {} seeds, {} failed\n", i + 1, arguments.seeds, failed);
  }
  fmt::print("{} passed, {} failed\n", arguments.seeds - failed, failed);
  return failed == 0 ? 0 : 1;
}

template <class Number>
bool parse_number(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<Arguments> parse(const std::vector<std::string_view>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--trace") {
      arguments.trace = true;
      continue;
    }
    if (i + 1 == words.size()) return std::nullopt;
    const std::string_view name = words[i];
    const std::string_view value = words[++i];
    bool good = false;
    if (name == "--seed") good = parse_number(value, arguments.seed.emplace());
    if (name == "--seeds") good = parse_number(value, arguments.seeds);
    if (name == "--first") good = parse_number(value, arguments.first);
    if (name == "--steps") good = parse_number(value, arguments.steps) && arguments.steps >= 0;
    if (!good) return std::nullopt;
  }
  return arguments;
}

int run(const std::vector<std::string_view>& words) {
  const std::optional<Arguments> arguments = parse(words);
  if (!arguments) {
    fmt::print(stderr, "usage: simulation --seed N [--steps N] [--trace]\n       simulation --seeds N [--first N]\n");
    return 2;
  }
  std::signal(SIGABRT, say_seed);
  std::signal(SIGSEGV, say_seed);
  return arguments->seed ? run_one(*arguments) : run_many(*arguments);
}

}  // namespace
}  // namespace millrace::simulation

int main(int argc, char** argv) {
  try {
    return millrace::simulation::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "simulation: {}\n", error.what());
    return 2;
  }
}
