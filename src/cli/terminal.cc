#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>

namespace millrace::cli {
namespace {

std::string_view value_of(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? std::string_view{} : value;
}

}  // namespace

Terminal look_at(int fd, const Environment& environment) {
  if (::isatty(fd) == 0) return {};
  constexpr std::size_t kUsualWidth = 80;
  winsize size{};
  const bool known = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return {.interactive = true,
          .width = known ? size.ws_col : kUsualWidth,
          .colours = value_of(environment, "NO_COLOR").empty() && value_of(environment, "TERM") != "dumb"};
}

std::string paint(std::string_view text, Colour colour, const Terminal& terminal) {
  constexpr std::array<std::string_view, 7> kCodes = {"", "1", "2", "31", "32", "33", "34"};
  if (!terminal.colours || colour == Colour::plain) return std::string(text);
  std::string out = "\x1b[";
  out.append(kCodes[static_cast<std::size_t>(colour)]).append("m").append(text).append("\x1b[0m");
  return out;
}

Colour colour_of_status(std::string_view status) {
  if (status == "COMPLETED") return Colour::green;
  if (status == "FAILED") return Colour::red;
  if (status == "PROCESSING") return Colour::blue;
  if (status == "CANCELLED") return Colour::dim;
  return Colour::plain;
}

}  // namespace millrace::cli
