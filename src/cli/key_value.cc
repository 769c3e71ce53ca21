#include "cli/key_value.h"

#include <fmt/format.h>

#include "cli/failure.h"

namespace millrace::cli {

std::pair<std::string, std::string> split_pair(const std::string& text, const std::string& option) {
  const std::size_t mark = text.find('=');
  if (mark == text.npos || mark == 0) {
    throw Failure(Exit::usage, fmt::format("{} takes KEY=VALUE, not \"{}\"", option, text));
  }
  return {text.substr(0, mark), text.substr(mark + 1)};
}

}  // namespace millrace::cli
