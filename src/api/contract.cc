#include "api/contract.h"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "base/assert.h"
#include "json/compact.h"
#include "json/parse.h"
#include "json/writer.h"

namespace millrace::embedded {

// Made by cmake/embed.cmake, named after the file.
extern const unsigned char openapi_yaml[];   // NOLINT(readability-identifier-naming)
extern const std::size_t openapi_yaml_size;  // NOLINT(readability-identifier-naming)

}  // namespace millrace::embedded

namespace millrace::api {
namespace {

struct Line {
  std::size_t indent;
  std::string_view text;  // without indentation, never empty
  std::size_t number;
};

std::vector<Line> split_lines(std::string_view yaml) {
  std::vector<Line> lines;
  for (std::size_t number = 1; !yaml.empty(); ++number) {
    const std::size_t end = std::min(yaml.find('\n'), yaml.size());
    std::string_view text = yaml.substr(0, end);
    yaml.remove_prefix(std::min(end + 1, yaml.size()));
    text = text.substr(0, text.find_last_not_of(" \r") + 1);
    const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
    text.remove_prefix(indent);
    if (!text.empty() && text.front() != '#') lines.push_back({indent, text, number});
  }
  return lines;
}

// Where the key of "key: value" ends; npos where the line is no member of a mapping.
std::size_t key_end(std::string_view text) {
  const std::size_t from = text.front() == '"' ? text.find('"', 1) : 0;
  if (from == text.npos || text.front() == '{' || text.front() == '[') return text.npos;
  const std::size_t colon = text.find(": ", from);
  if (colon != text.npos) return colon;
  return text.back() == ':' ? text.size() - 1 : text.npos;
}

class Converter {
 public:
  explicit Converter(std::string_view yaml) : lines_(split_lines(yaml)), out_(json_) {}

  Result<std::string> convert() {
    if (lines_.empty()) return fail(Errc::malformed, "the text is empty");
    block(lines_.front().indent);
    if (!wrong_ && at_ < lines_.size()) refuse("is indented like nothing above it");
    if (wrong_) return std::unexpected(*std::move(wrong_));
    return std::move(json_);
  }

 private:
  bool more(std::size_t indent) const { return !wrong_ && at_ < lines_.size() && lines_[at_].indent == indent; }
  static bool is_element(std::string_view text) { return text == "-" || text.starts_with("- "); }

  void refuse(std::string_view why) {
    const std::size_t number = lines_[std::min(at_, lines_.size() - 1)].number;
    if (!wrong_) wrong_ = Error{Errc::malformed, fmt::format("line {} {}", number, why)};
  }

  void block(std::size_t indent) { is_element(lines_[at_].text) ? sequence(indent) : mapping(indent); }

  void sequence(std::size_t indent) {
    out_.begin_array();
    while (more(indent) && is_element(lines_[at_].text)) element(indent);
    if (!wrong_) out_.end_array();
  }

  void element(std::size_t indent) {
    const std::string_view rest = lines_[at_].text.substr(std::min<std::size_t>(2, lines_[at_].text.size()));
    if (rest.empty() || key_end(rest) == rest.npos) {
      ++at_;
      return rest.empty() ? nested(indent) : scalar(rest);
    }
    // "- key: value" is a mapping whose first line stands beside the dash.
    lines_[at_] = {indent + 2, rest, lines_[at_].number};
    mapping(indent + 2);
  }

  void mapping(std::size_t indent) {
    out_.begin_object();
    while (more(indent) && !is_element(lines_[at_].text)) member(indent);
    if (!wrong_) out_.end_object();
  }

  void member(std::size_t indent) {
    const std::string_view text = lines_[at_].text;
    const std::size_t end = key_end(text);
    if (end == text.npos) return refuse("is neither \"key: value\" nor \"- value\"");
    const std::string_view key = text.substr(0, end);
    const bool quoted = key.size() >= 2 && key.front() == '"' && key.back() == '"';
    out_.key(quoted ? key.substr(1, key.size() - 2) : key);
    ++at_;
    if (end + 1 >= text.size()) return nested(indent);
    scalar(text.substr(end + 2));
  }

  // What is indented below a key or a dash that stands alone; null if nothing is.
  void nested(std::size_t indent) {
    if (wrong_) return;
    if (at_ == lines_.size() || lines_[at_].indent <= indent) return out_.null();
    if (lines_[at_].indent != indent + 2) return refuse("must be indented by two spaces more");
    block(indent + 2);
  }

  // JSON as it is; any other words are a string.
  void scalar(std::string_view text) {
    const auto document = json::parse(text);
    if (document) return out_.compact(document->root());
    if (text.find_first_of("{[\"'&*!|>") == 0) {
      --at_;
      return refuse("has a value that is neither JSON nor plain words");
    }
    out_.string(text);
  }

  std::vector<Line> lines_;
  std::size_t at_ = 0;
  std::string json_;
  json::Writer out_;
  std::optional<Error> wrong_;
};

}  // namespace

Result<std::string> yaml_to_json(std::string_view yaml) { return Converter(yaml).convert(); }

std::string_view contract_yaml() {
  return {reinterpret_cast<const char*>(embedded::openapi_yaml), embedded::openapi_yaml_size};
}

const std::string& contract_json() {
  static const std::string json = [] {
    Result<std::string> converted = yaml_to_json(contract_yaml());
    MR_ASSERT(converted.has_value(), "the committed contract is in the part of YAML that is read");
    return *std::move(converted);
  }();
  return json;
}

}  // namespace millrace::api
