// The program: finds the command and runs it.
#include <cstdlib>
#include <iostream>
#include <span>
#include <string_view>

#include "app/options.h"
#include "app/serve.h"
#include "app/version.h"
#include "cli/cli.h"

namespace {

using namespace millrace;

int run_serve(int argc, char** argv) {
  auto parsed = app::parse_serve(argc, argv, [](const char* name) -> const char* { return std::getenv(name); });
  if (const int* code = std::get_if<int>(&parsed)) return *code;
  return app::serve(std::get<app::ServeOptions>(parsed));
}

constexpr const char* kVersionHelp = R"(Print the version
Usage: millrace version [OPTIONS]

Options:
  -h,--help    Print this help message and exit
  --json       print one JSON document, for scripts

examples:
  millrace version
  millrace version --json | jq -r .version
)";

int print_version(std::span<char* const> options) {
  const std::string_view first = options.empty() ? "" : options[0];
  if (first == "--help" || first == "-h") {
    std::cout << kVersionHelp;
    return app::kExitDone;
  }
  const bool json = options.size() == 1 && first == "--json";
  if (!options.empty() && !json) {
    std::cerr << "millrace: \"" << options[0] << "\" is no option of version (see `millrace version --help`)\n";
    return app::kExitUsage;
  }
  std::cout << (json ? "{\"version\":\"" : "") << app::version() << (json ? "\"}\n" : "\n");
  return app::kExitDone;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "serve") return run_serve(argc - 1, argv + 1);
  const std::span<char* const> words(argv, static_cast<std::size_t>(argc));
  if (command == "version" || command == "--version") return print_version(words.subspan(2));
  return cli::run(words.subspan(argc > 0 ? 1 : 0));
}
