#include "api/tags.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"

namespace millrace::api {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

std::vector<std::string> split_tags(std::string_view text) {
  std::vector<std::string> tags;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view tag = trim(text.substr(0, comma));
    if (!tag.empty() && std::ranges::find(tags, tag) == tags.end()) tags.emplace_back(tag);
    if (comma == text.npos || tags.size() > limits::kTagsPerItemMax) return tags;  // too many is said by check_tags
    text.remove_prefix(comma + 1);
  }
}

std::string join_tags(const std::vector<std::string>& tags) { return fmt::format("{}", fmt::join(tags, ",")); }

Result<void> check_tags(const std::vector<std::string>& tags, std::size_t count_max, Errc code,
                        const std::string& field) {
  if (tags.size() > count_max) {
    return fail(code, fmt::format("\"{}\" may have {} tags at most", field, count_max), field);
  }
  for (const std::string& tag : tags) {
    if (tag.empty() || tag.find(',') != tag.npos || tag.find('\0') != tag.npos) {
      return fail(code, fmt::format("a tag in \"{}\" must not be empty or contain a comma or U+0000", field), field);
    }
    if (tag.size() > limits::kTagBytesMax) {
      return fail(code, fmt::format("a tag in \"{}\" may have {} bytes at most", field, limits::kTagBytesMax), field);
    }
  }
  return {};
}

std::vector<std::string> sorted_tags(std::vector<std::string> tags) {
  std::ranges::sort(tags);
  const auto repeats = std::ranges::unique(tags);
  tags.erase(repeats.begin(), repeats.end());
  return tags;
}

}  // namespace millrace::api
