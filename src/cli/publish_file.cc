#include "cli/publish_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "json/parse.h"

namespace millrace::cli {
namespace {

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

void add_document(const std::string& text, const Input& input, Publisher& publisher) {
  const auto document = json::parse(text);
  if (!document) {
    throw Failure(Exit::refused, fmt::format("{}: {}", input.name(), json::to_error(document.error()).detail));
  }
  const json::Value root = document->root();
  std::uint64_t line = 1;
  const char* counted = text.data();
  const auto add = [&](json::Value event) {
    line += static_cast<std::uint64_t>(std::count(counted, event.raw().data(), '\n'));
    counted = event.raw().data();
    publisher.add(event, line);
  };
  if (!root.is(json::Kind::array)) return add(root);
  for (const json::Value event : root.elements()) add(event);
}

void add_line(const std::string& text, std::uint64_t line, Publisher& publisher) {
  if (is_blank(text)) return;
  const auto document = json::parse(text);
  if (document) return publisher.add(document->root(), line);
  publisher.refuse(line, json::to_error(document.error()).detail);
}

// A document over many lines begins with a line that is no document.
bool begins_json_lines(const std::string& line) {
  const auto document = json::parse(line);
  return document && document->root().is(json::Kind::object);
}

}  // namespace

void publish_input(Input& input, Publisher& publisher) {
  std::string before;  // blank lines
  std::string text;
  std::uint64_t line = 1;
  for (; std::getline(input.stream(), text) && is_blank(text); ++line) before += "\n";
  if (!input.stream() && is_blank(text)) {
    // A program before the pipe that failed, as a rule.
    throw Failure(Exit::usage, fmt::format("{} is empty: there is no event to publish", input.name()));
  }
  if (!begins_json_lines(text)) {
    before += text + "\n";
    before.append(std::istreambuf_iterator<char>(input.stream()), {});
    return add_document(before, input, publisher);
  }
  do {
    add_line(text, line++, publisher);
  } while (std::getline(input.stream(), text));
}

}  // namespace millrace::cli
