#include "cli/input.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "cli/failure.h"
#include "json/compact.h"
#include "json/parse.h"

namespace millrace::cli {
namespace {

std::string all_of(Input& input) { return {std::istreambuf_iterator<char>(input.stream()), {}}; }

// `source` is to blame where it is no JSON.
std::string compact_json(std::string_view text, std::string_view source, std::string_view advice) {
  const auto document = json::parse(text);
  if (!document) {
    throw Failure(Exit::usage,
                  fmt::format("{} is no JSON: {}{}", source, json::to_error(document.error()).detail, advice));
  }
  std::string compact;
  json::append_compact(compact, document->root());
  return compact;
}

}  // namespace

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

std::string read_json_file(const std::string& name, std::istream& in) {
  Input input(name, in);
  return compact_json(all_of(input), input.name(), "");
}

std::string read_json_option(const std::string& value, const std::string& option, std::istream& in) {
  constexpr std::string_view kAdvice = " (a text needs quotes of its own: '\"text\"')";
  if (value != "-" && !value.starts_with('@')) return compact_json(value, option, kAdvice);
  Input input(value == "-" ? value : value.substr(1), in);
  return compact_json(all_of(input), fmt::format("{} ({})", option, input.name()), kAdvice);
}

}  // namespace millrace::cli
