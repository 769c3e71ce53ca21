// What is known about the place that output goes to. Pure but for look_at().
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace millrace::cli {

// The value of an environment variable, null without it.
using Environment = std::function<const char*(const char* name)>;

struct Terminal {
  bool interactive = false;  // a person may be looking
  std::size_t width = 0;     // columns; 0 = as many as are needed
  bool colours = false;
};

// A file or a pipe gets neither colours nor cut lines; NO_COLOR (any value but "") and TERM=dumb turn colours off.
Terminal look_at(int fd, const Environment& environment);

enum class Colour { plain, bold, dim, red, green, yellow, blue };

// The text in the colour, where the terminal has colours.
std::string paint(std::string_view text, Colour colour, const Terminal& terminal);

// The colour that a work item's status has everywhere.
Colour colour_of_status(std::string_view status);

}  // namespace millrace::cli
