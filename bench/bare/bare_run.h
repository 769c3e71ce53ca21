// A program that measures a store alone: --data DIR or --postgres URL says which, other options are its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace millrace::bench {

// What stands after "--name"; the last one counts.
class Arguments {
 public:
  Arguments(int argc, char** argv) : words_(argv + 1, argv + argc) {}

  std::string text(std::string_view name) const;  // "" if it is not there
  double number(std::string_view name, double otherwise) const;
  std::size_t count(std::string_view name, std::size_t otherwise) const;

 private:
  std::vector<std::string> words_;
};

using Measure = void (*)(store::Store& store, Epoch epoch, const Arguments& arguments);

// Opens the store, owns it while `measure` runs, and says what went wrong. Returns the program's exit code.
int bare_run(int argc, char** argv, std::string_view usage, Measure measure);

}  // namespace millrace::bench
