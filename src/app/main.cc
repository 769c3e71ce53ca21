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

}  // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "serve") return run_serve(argc - 1, argv + 1);
  if (command == "version" || command == "--version") {
    std::cout << app::version() << "\n";
    return app::kExitDone;
  }
  return cli::run(std::span<char* const>(argv, static_cast<std::size_t>(argc)).subspan(argc > 0 ? 1 : 0));
}
