#include "cli/input.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "cli/failure.h"
#include "json/compact.h"
#include "json/parse.h"

namespace millrace::cli {

Input::Input(const std::string& name, std::istream& in) : stream_(&in), name_("standard input") {
  if (name == "-") return;
  name_ = name;
  errno = 0;
  file_.open(name, std::ios::binary);
  // A folder opens, but the first read fails.
  if (file_.is_open()) file_.peek();
  if (!file_.is_open() || file_.bad()) {
    throw Failure(Exit::usage, fmt::format("{} cannot be read: {}", name, std::strerror(errno)));
  }
  file_.clear();
  stream_ = &file_;
}

std::string read_json_option(const std::string& value, const std::string& option, std::istream& in) {
  std::string text = value;
  std::string source = option;
  if (value == "-" || value.starts_with('@')) {
    Input input(value == "-" ? value : value.substr(1), in);
    text.assign(std::istreambuf_iterator<char>(input.stream()), {});
    source = fmt::format("{} ({})", option, input.name());
  }
  const auto document = json::parse(text);
  if (!document) {
    throw Failure(Exit::usage, fmt::format("{} is no JSON: {} (a text needs quotes of its own: '\"text\"')", source,
                                           json::to_error(document.error()).detail));
  }
  std::string compact;
  json::append_compact(compact, document->root());
  return compact;
}

}  // namespace millrace::cli
