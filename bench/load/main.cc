// millrace_load: one scenario against one server, one line of JSON.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

#include "load/loop.h"
#include "load/scripts.h"

namespace {

using namespace millrace::load;

struct Arguments {
  std::string scenario;
  RunOptions run;
  ScenarioOptions shape;
};

void print_help() {
  fmt::print(
      "usage: millrace_load --port N --scenario NAME [--connections 64] [--seconds N [--warmup N] | --count N]\n"
      "                     [--batch 100] [--bytes 940] [--lanes 1] [--target PATH]\n\nscenarios:\n{}",
      scenario_help());
}

template <class Number>
Number number(std::string_view name, std::string_view text) {
  Number value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && stop == text.data() + text.size()) return value;
  throw std::invalid_argument(fmt::format("{} takes a number, not {}", name, text));
}

std::chrono::nanoseconds seconds(std::string_view name, std::string_view text) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(number<double>(name, text) * 1e9));
}

void set(Arguments& arguments, std::string_view name, std::string_view value) {
  if (name == "--scenario") {
    arguments.scenario = value;
  } else if (name == "--target") {
    arguments.shape.target = value;
  } else if (name == "--port") {
    arguments.run.port = number<std::uint16_t>(name, value);
  } else if (name == "--connections") {
    arguments.shape.connections = number<std::size_t>(name, value);
  } else if (name == "--seconds") {
    arguments.run.window = seconds(name, value);
  } else if (name == "--warmup") {
    arguments.run.warmup = seconds(name, value);
  } else if (name == "--count") {
    arguments.shape.count = number<std::uint64_t>(name, value);
  } else if (name == "--batch") {
    arguments.shape.batch = number<std::size_t>(name, value);
  } else if (name == "--bytes") {
    arguments.shape.sample.bytes = number<std::size_t>(name, value);
  } else if (name == "--lanes") {
    arguments.shape.sample.lanes = number<std::size_t>(name, value);
  } else {
    throw std::invalid_argument(fmt::format("unknown option {}", name));
  }
}

Arguments parse(int count, char** values) {
  Arguments arguments;
  for (int i = 1; i + 1 < count; i += 2) set(arguments, values[i], values[i + 1]);
  if (count % 2 == 0) throw std::invalid_argument(fmt::format("{} needs a value", values[count - 1]));
  if (arguments.run.port == 0 || arguments.scenario.empty())
    throw std::invalid_argument("--port and --scenario are needed");
  const bool ends = arguments.run.window.count() > 0 || arguments.shape.count > 0 || arguments.scenario == "drain";
  if (!ends) throw std::invalid_argument("--seconds or --count is needed");
  return arguments;
}

double micros(std::chrono::nanoseconds time) { return static_cast<double>(time.count()) / 1000; }

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

void print_report(const Arguments& arguments, const Report& report) {
  std::string steps;
  for (const auto& [name, latency] : report.steps) {
    steps += fmt::format(R"({}"{}":{{"count":{},"p50_us":{:.1f},"p99_us":{:.1f},"max_us":{:.1f}}})",
                         steps.empty() ? "" : ",", name, latency.count(), micros(latency.quantile(0.5)),
                         micros(latency.quantile(0.99)), micros(latency.max()));
  }
  fmt::print(R"({{"scenario":"{}","connections":{},"seconds":{:.6f},"requests":{},"items":{},"requests_per_s":{:.1f},)"
             R"("items_per_s":{:.1f},"refused":{},"errors":{},"first_error":{},"steps":{{{}}}}})"
             "\n",
             arguments.scenario, arguments.shape.connections, report.seconds, report.requests, report.items,
             static_cast<double>(report.requests) / report.seconds, static_cast<double>(report.items) / report.seconds,
             report.refused, report.errors, quoted(report.first_error), steps);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::string_view(argv[1]) == "--help") {
      print_help();
      return 0;
    }
    const Arguments arguments = parse(argc, argv);
    print_report(arguments, run(arguments.run, make_scripts(arguments.scenario, arguments.shape)));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "millrace_load: {}\n", error.what());
    return 1;
  }
}
