#include "http/target.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "http/ascii.h"
#include "json/utf8.h"

namespace millrace::http {

namespace {

enum class Plus { literal, space };

std::optional<std::string> percent_decode(std::string_view text, Plus plus) {
  if (text.find_first_of("%+") == std::string_view::npos) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus == Plus::space) {
      out.push_back(' ');
    } else if (text[i] != '%') {
      out.push_back(text[i]);
    } else {
      if (text.size() - i < 3) return std::nullopt;
      const int high = hex_value(text[i + 1]);
      const int low = hex_value(text[i + 2]);
      if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  if (!json::is_valid_utf8(out)) return std::nullopt;
  return out;
}

// Calls take(piece) for each piece between the separators, until it answers false.
template <class Take>
bool split(std::string_view text, char separator, Take take) {
  for (;;) {
    const std::size_t end = text.find(separator);
    if (!take(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

bool take_segments(std::string_view path, std::vector<std::string>& out) {
  out.reserve(4);
  return split(path, '/', [&out](std::string_view piece) {
    auto segment = percent_decode(piece, Plus::literal);
    if (segment) out.push_back(*std::move(segment));
    return segment.has_value();
  });
}

bool take_query(std::string_view text, std::vector<std::pair<std::string, std::string>>& out) {
  return split(text, '&', [&out](std::string_view piece) {
    if (piece.empty()) return true;
    const std::size_t equals = std::min(piece.find('='), piece.size());
    auto name = percent_decode(piece.substr(0, equals), Plus::space);
    auto value = percent_decode(piece.substr(std::min(equals + 1, piece.size())), Plus::space);
    if (!name || !value) return false;
    out.emplace_back(*std::move(name), *std::move(value));
    return true;
  });
}

std::string_view without_authority(std::string_view raw) {
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

std::string_view path_of(std::string_view raw) { return raw.substr(0, raw.find('?')); }

Result<Target> parse_target(std::string_view raw) {
  raw = without_authority(raw);
  if (raw.empty() || raw.front() != '/') return fail(Errc::malformed, "the request target is not a path");
  if (!std::ranges::all_of(raw, is_visible) || raw.find('#') != std::string_view::npos)
    return fail(Errc::malformed, "the request target has characters that must be percent-encoded");
  const std::string_view path = path_of(raw);
  Target target;
  if (!take_segments(path.substr(1), target.segments))
    return fail(Errc::malformed, "the path is not percent-encoded UTF-8");
  if (path.size() < raw.size() && !take_query(raw.substr(path.size() + 1), target.query))
    return fail(Errc::malformed, "the query is not percent-encoded UTF-8");
  return target;
}

}  // namespace millrace::http
