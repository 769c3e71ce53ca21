#include "api/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/tags.h"
#include "base/limits.h"
#include "json/utf8.h"

namespace millrace::api {
namespace {

std::unexpected<Error> refuse(std::string_view name, std::string_view rule) {
  return fail(Errc::bad_query, fmt::format("query parameter \"{}\" {}", name, rule), std::string(name));
}

// Enough for the tags that a claim may name, with their commas.
constexpr std::size_t kTagsTextBytesMax = limits::kTagsPerClaimMax * (limits::kTagBytesMax + 1);

// Nobody's parameter has a longer name; of one that has, the answer shows the beginning.
constexpr std::size_t kShownNameBytesMax = 100;

// Calls `visit` with each word until it says true.
template <class Visit>
bool any_word(std::string_view words, Visit visit) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (visit(words.substr(0, end))) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

bool is_known(std::string_view name, std::string_view known) {
  return any_word(known, [name](std::string_view word) {
    return word.ends_with('*') ? name.starts_with(word.substr(0, word.size() - 1)) : name == word;
  });
}

std::string list_known(std::string_view known) {
  if (known.empty()) return "this endpoint has none";
  std::string list;
  any_word(known, [&list](std::string_view word) {
    if (!list.empty()) list += ", ";
    const bool family = word.ends_with('*');
    list += family ? word.substr(0, word.size() - 1) : word;
    if (family) list += "KEY";
    return false;
  });
  return "this endpoint has " + list;
}

}  // namespace

Result<void> Query::refuse_unknown(std::string_view known) const {
  for (const auto& [name, value] : parameters_) {
    if (is_known(name, known)) continue;
    const std::string_view shown = std::string_view(name).substr(0, kShownNameBytesMax);
    return refuse(shown.substr(0, json::valid_utf8_prefix(shown)), "is unknown; " + list_known(known));
  }
  return {};
}

Result<std::optional<std::string>> Query::text(std::string_view name, std::size_t bytes_max) const {
  const std::string* found = nullptr;
  for (const auto& [key, value] : parameters_) {
    if (key != name) continue;
    if (found != nullptr) return refuse(name, "is given twice");
    found = &value;
  }
  if (found == nullptr || found->empty()) return std::nullopt;
  if (found->size() > bytes_max) return refuse(name, fmt::format("may have {} bytes at most", bytes_max));
  if (found->find('\0') != found->npos) return refuse(name, "must not contain the character U+0000");
  return *found;
}

bool Query::has(std::string_view name) const {
  return std::ranges::any_of(parameters_, [&](const auto& parameter) { return parameter.first == name; });
}

Result<std::string> Query::required_text(std::string_view name, std::size_t bytes_max) const {
  Result<std::optional<std::string>> found = text(name, bytes_max);
  if (!found) return std::unexpected(std::move(found.error()));
  if (!*found) return refuse(name, "is required");
  return std::move(**found);
}

Result<std::optional<std::uint64_t>> Query::number(std::string_view name, std::uint64_t min, std::uint64_t max) const {
  const Result<std::optional<std::string>> found = text(name, 40);
  if (!found) return std::unexpected(found.error());
  if (!*found) return std::nullopt;
  const std::string& digits = **found;
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || stop != digits.data() + digits.size() || number < min || number > max) {
    return refuse(name, fmt::format("must be an integer from {} to {}", min, max));
  }
  return number;
}

Result<std::optional<bool>> Query::boolean(std::string_view name) const {
  const Result<std::optional<std::string>> found = text(name, 40);
  if (!found) return std::unexpected(found.error());
  // Whoever writes `?dryRun` means something by it.
  if (!*found && has(name)) return refuse(name, "must be true or false");
  if (!*found) return std::nullopt;
  if (**found == "true" || **found == "1") return true;
  if (**found == "false" || **found == "0") return false;
  return refuse(name, "must be true or false");
}

Result<std::optional<Time>> Query::time(std::string_view name) const {
  const Result<std::optional<std::string>> found = text(name, 64);
  if (!found) return std::unexpected(found.error());
  if (!*found) return std::nullopt;
  const std::string& given = **found;
  if (const std::optional<Time> time = parse_time(given)) return time;
  std::int64_t ms = 0;
  const auto [stop, error] = std::from_chars(given.data(), given.data() + given.size(), ms);
  if (error == std::errc{} && stop == given.data() + given.size()) return time_from_ms(ms);
  return refuse(name, "must be a time such as 2026-01-31T12:00:00Z, or epoch milliseconds");
}

Result<std::vector<std::string>> Query::tags(std::string_view name) const {
  const Result<std::optional<std::string>> found = text(name, kTagsTextBytesMax);
  if (!found) return std::unexpected(found.error());
  if (!*found) return std::vector<std::string>{};
  std::vector<std::string> tags = split_tags(**found);
  // As a filter it would let everything through.
  if (tags.empty() && !(*found)->empty()) return refuse(name, "names no tag: write tags with commas between them");
  if (Result<void> fine = check_tags(tags, limits::kTagsPerClaimMax, Errc::bad_query, std::string(name)); !fine) {
    return std::unexpected(std::move(fine.error()));
  }
  return tags;
}

}  // namespace millrace::api
