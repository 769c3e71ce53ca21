#include "http/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "http/ascii.h"
#include "json/utf8.h"

namespace millrace::http {

namespace {

enum class Plus { literal, space };

// The error's detail goes on from what is wrong: "… has an encoded NUL".
Result<std::string> percent_decode(std::string_view text, Plus plus) {
  if (text.find_first_of("%+") == std::string_view::npos) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus == Plus::space) {
      out.push_back(' ');
    } else if (text[i] != '%') {
      out.push_back(text[i]);
    } else {
      const bool whole = text.size() - i >= 3;
      const int high = whole ? hex_value(text[i + 1]) : -1;
      const int low = whole ? hex_value(text[i + 2]) : -1;
      if (high < 0 || low < 0) return fail(Errc::malformed, "has a \"%\" without two hexadecimal digits after it");
      if (high == 0 && low == 0) return fail(Errc::malformed, "has a NUL (%00)");
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  if (!json::is_valid_utf8(out)) return fail(Errc::malformed, "is not UTF-8 once it is decoded");
  return out;
}

std::unexpected<Error> wrong(std::string_view what, const Error& error, std::string field = "") {
  return fail(Errc::malformed, fmt::format("{} {}", what, error.detail), std::move(field));
}

// Calls take(piece) for each piece between the separators, until it refuses one.
template <class Take>
Result<void> split(std::string_view text, char separator, Take take) {
  for (;;) {
    const std::size_t end = text.find(separator);
    if (Result<void> taken = take(text.substr(0, end)); !taken) return taken;
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
}

Result<void> take_segments(std::string_view path, std::vector<std::string>& out) {
  out.reserve(4);
  return split(path, '/', [&out](std::string_view piece) -> Result<void> {
    auto segment = percent_decode(piece, Plus::literal);
    if (!segment) return wrong("the path", segment.error());
    out.push_back(*std::move(segment));
    return {};
  });
}

Result<void> take_query(std::string_view text, std::vector<std::pair<std::string, std::string>>& out) {
  return split(text, '&', [&out](std::string_view piece) -> Result<void> {
    if (piece.empty()) return {};
    const std::size_t equals = std::min(piece.find('='), piece.size());
    auto name = percent_decode(piece.substr(0, equals), Plus::space);
    if (!name) return wrong("the name of a query parameter", name.error());
    auto value = percent_decode(piece.substr(std::min(equals + 1, piece.size())), Plus::space);
    if (!value) return wrong(fmt::format("query parameter \"{}\"", *name), value.error(), *name);
    out.emplace_back(*std::move(name), *std::move(value));
    return {};
  });
}

std::string_view before_query(std::string_view raw) { return raw.substr(0, raw.find('?')); }

std::string_view without_authority(std::string_view raw) {
  if (raw.starts_with('/')) return raw;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equal_ignoring_case(raw.substr(0, scheme.size()), scheme)) continue;
    raw.remove_prefix(scheme.size());
    const std::size_t end = std::min(raw.find_first_of("/?"), raw.size());
    if (end == 0) return {};
    raw.remove_prefix(end);
    return raw.empty() ? "/" : raw;
  }
  return raw;
}

}  // namespace

std::string_view path_of(std::string_view raw) {
  raw = without_authority(raw);
  return raw.starts_with('/') ? before_query(raw) : std::string_view();
}

Result<Target> parse_target(std::string_view raw) {
  raw = without_authority(raw);
  if (raw.empty() || raw.front() != '/') return fail(Errc::malformed, "the request target is not a path");
  if (!std::ranges::all_of(raw, is_visible) || raw.find('#') != std::string_view::npos)
    return fail(Errc::malformed, "the request target has characters that must be percent-encoded");
  const std::string_view path = before_query(raw);
  Target target;
  if (Result<void> taken = take_segments(path.substr(1), target.segments); !taken)
    return std::unexpected(std::move(taken.error()));
  if (path.size() == raw.size()) return target;
  if (Result<void> taken = take_query(raw.substr(path.size() + 1), target.query); !taken)
    return std::unexpected(std::move(taken.error()));
  return target;
}

std::vector<std::string> guess_segments(std::string_view raw) {
  const std::string_view path = before_query(without_authority(raw));
  std::vector<std::string> segments;
  std::ignore =
      split(path.substr(path.starts_with('/') ? 1 : 0), '/', [&segments](std::string_view piece) -> Result<void> {
        segments.push_back(percent_decode(piece, Plus::literal).value_or(std::string(piece)));
        return {};
      });
  return segments;
}

}  // namespace millrace::http
