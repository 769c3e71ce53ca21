#include "registry/json_schema/uri.h"

#include <algorithm>

namespace millrace::registry::json_schema {
namespace {

struct Parts {
  std::optional<std::string_view> scheme, authority, query, fragment;
  std::string_view path;
};

bool is_scheme(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto more = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'; };
  return !text.empty() && letter(text.front()) && std::ranges::all_of(text, more);
}

Parts split(std::string_view uri) {
  Parts parts;
  if (const auto hash = uri.find('#'); hash != uri.npos) {
    parts.fragment = uri.substr(hash + 1);
    uri = uri.substr(0, hash);
  }
  if (const auto mark = uri.find('?'); mark != uri.npos) {
    parts.query = uri.substr(mark + 1);
    uri = uri.substr(0, mark);
  }
  if (const auto colon = uri.find(':'); colon != uri.npos && is_scheme(uri.substr(0, colon))) {
    parts.scheme = uri.substr(0, colon);
    uri = uri.substr(colon + 1);
  }
  if (uri.starts_with("//")) {
    const auto end = std::min(uri.find('/', 2), uri.size());
    parts.authority = uri.substr(2, end - 2);
    uri = uri.substr(end);
  }
  parts.path = uri;
  return parts;
}

// RFC 3986, 5.2.4.
std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./") || path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../") || path == "/..") {
      path = path == "/.." ? std::string_view("/") : path.substr(3);
      const auto slash = out.rfind('/');
      out.resize(slash == out.npos ? 0 : slash);
    } else if (path == "." || path == "..") {
      path = {};
    } else {
      const auto end = std::min(path.find('/', 1), path.size());
      out.append(path.substr(0, end));
      path.remove_prefix(end);
    }
  }
  return out;
}

std::string merged_path(const Parts& base, std::string_view path) {
  if (base.authority && base.path.empty()) return "/" + std::string(path);
  const auto slash = base.path.rfind('/');
  return std::string(slash == base.path.npos ? std::string_view{} : base.path.substr(0, slash + 1)) + std::string(path);
}

std::string joined(const Parts& parts, std::string_view path) {
  std::string uri;
  if (parts.scheme) uri.append(*parts.scheme).push_back(':');
  if (parts.authority) uri.append("//").append(*parts.authority);
  uri.append(path);
  if (parts.query) uri.append("?").append(*parts.query);
  if (parts.fragment && !parts.fragment->empty()) uri.append("#").append(*parts.fragment);
  return uri;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

SplitUri split_fragment(std::string_view uri) {
  const auto hash = uri.find('#');
  if (hash == uri.npos) return {uri, {}};
  return {uri.substr(0, hash), uri.substr(hash + 1)};
}

std::string resolve_uri(std::string_view base_uri, std::string_view reference) {
  Parts parts = split(reference);
  if (parts.scheme) return joined(parts, parts.authority ? without_dots(parts.path) : std::string(parts.path));
  const Parts base = split(base_uri);
  parts.scheme = base.scheme;
  if (parts.authority) return joined(parts, without_dots(parts.path));
  parts.authority = base.authority;
  if (parts.path.empty()) {
    if (!parts.query) parts.query = base.query;
    return joined(parts, base.path);
  }
  if (parts.path.starts_with('/')) return joined(parts, without_dots(parts.path));
  return joined(parts, without_dots(merged_path(base, parts.path)));
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

void append_pointer_token(std::string& pointer, std::string_view token) {
  pointer.push_back('/');
  for (const char c : token) {
    if (c == '~') {
      pointer.append("~0");
    } else if (c == '/') {
      pointer.append("~1");
    } else {
      pointer.push_back(c);
    }
  }
}

std::string pointer_with(std::string_view pointer, std::string_view token) {
  std::string longer(pointer);
  append_pointer_token(longer, token);
  return longer;
}

std::optional<std::string> take_pointer_token(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const std::string_view raw = pointer.substr(0, pointer.find('/'));
  pointer.remove_prefix(raw.size());
  std::string token;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '~') {
      token.push_back(raw[i]);
      continue;
    }
    ++i;
    if (i == raw.size() || (raw[i] != '0' && raw[i] != '1')) return std::nullopt;
    token.push_back(raw[i] == '0' ? '~' : '/');
  }
  return token;
}

}  // namespace millrace::registry::json_schema
