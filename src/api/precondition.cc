#include "api/precondition.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace millrace::api {
namespace {

constexpr std::size_t kTagsMax = 100;

std::string_view trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t");
  if (from == text.npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

// Nullopt for what is no tag. A weak tag, or one that no document of ours can have, is a tag that matches nothing.
std::optional<std::uint64_t> version_in(std::string_view tag) {
  constexpr std::uint64_t kNoVersion = 0;
  const bool weak = tag.starts_with("W/");
  if (weak) tag.remove_prefix(2);
  if (tag.size() < 2 || tag.front() != '"' || tag.back() != '"') return std::nullopt;
  tag = tag.substr(1, tag.size() - 2);
  if (tag.find('"') != tag.npos) return std::nullopt;
  std::uint64_t version = 0;
  const auto [end, error] = std::from_chars(tag.data(), tag.data() + tag.size(), version);
  return weak || error != std::errc() || end != tag.data() + tag.size() ? kNoVersion : version;
}

}  // namespace

bool Precondition::Tags::covers(std::uint64_t version) const {
  return any || std::ranges::find(versions, version) != versions.end();
}

Result<std::optional<Precondition::Tags>> Precondition::parse_tags(std::string_view name,
                                                                   std::optional<std::string_view> value) {
  if (!value) return std::nullopt;
  Tags tags;
  if (trimmed(*value) == "*") {
    tags.any = true;
    return tags;
  }
  for (std::string_view rest = *value;;) {
    const std::size_t comma = rest.find(',');
    const auto version = version_in(trimmed(rest.substr(0, comma)));
    if (!version || tags.versions.size() == kTagsMax) {
      return fail(Errc::bad_query, fmt::format("{} must be * or a version in quotes, such as \"3\"", name),
                  std::string(name));
    }
    tags.versions.push_back(*version);
    if (comma == rest.npos) return tags;
    rest.remove_prefix(comma + 1);
  }
}

Result<Precondition> Precondition::parse(std::optional<std::string_view> if_match,
                                         std::optional<std::string_view> if_none_match) {
  Precondition precondition;
  auto match = parse_tags("If-Match", if_match);
  if (!match) return std::unexpected(std::move(match.error()));
  auto none_match = parse_tags("If-None-Match", if_none_match);
  if (!none_match) return std::unexpected(std::move(none_match.error()));
  precondition.if_match_ = *std::move(match);
  precondition.if_none_match_ = *std::move(none_match);
  return precondition;
}

Result<void> Precondition::check(std::optional<std::uint64_t> present, std::string_view what) const {
  if (if_match_ && !present) return fail(Errc::stale_version, fmt::format("{} does not exist", what), "If-Match");
  if (if_match_ && !if_match_->covers(*present)) {
    return fail(Errc::stale_version, fmt::format("{} is at version {}", what, *present), "If-Match");
  }
  if (if_none_match_ && present && if_none_match_->covers(*present)) {
    return fail(Errc::stale_version, fmt::format("{} exists already, at version {}", what, *present), "If-None-Match");
  }
  return {};
}

std::string etag_of(std::uint64_t version) { return fmt::format("\"{}\"", version); }

}  // namespace millrace::api
