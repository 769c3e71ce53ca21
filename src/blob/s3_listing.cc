#include "blob/s3_listing.h"

#include <fmt/format.h>

#include <charconv>

namespace millrace::blob {
namespace {

// What stands between the first <name> and </name>; the answer nests no element in another of its name, and has no
// attributes but on the root.
std::optional<std::string_view> element(std::string_view xml, std::string_view name) {
  const std::string open = fmt::format("<{}>", name);
  const std::string close = fmt::format("</{}>", name);
  const std::size_t begin = xml.find(open);
  if (begin == xml.npos) return std::nullopt;
  const std::size_t end = xml.find(close, begin);
  if (end == xml.npos) return std::nullopt;
  return xml.substr(begin + open.size(), end - begin - open.size());
}

void append_utf8(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xe0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

std::string unescaped(std::string_view text) {
  struct Entity {
    std::string_view name;
    char meant;
  };
  static constexpr Entity kEntities[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text[i] == '&' ? text.find(';', i) : text.npos;
    if (end == text.npos) {
      out += text[i];
      continue;
    }
    std::string_view name = text.substr(i + 1, end - i - 1);
    i = end;
    if (name.starts_with('#')) {
      const bool hex = name.starts_with("#x");
      name.remove_prefix(hex ? 2 : 1);
      unsigned code = 0;
      std::from_chars(name.data(), name.data() + name.size(), code, hex ? 16 : 10);
      append_utf8(out, code);
    }
    for (const Entity& entity : kEntities) {
      if (entity.name == name) out += entity.meant;
    }
  }
  return out;
}

}  // namespace

std::optional<S3Listing> parse_s3_listing(std::string_view xml) {
  if (xml.find("<ListBucketResult") == xml.npos) return std::nullopt;
  S3Listing listing;
  listing.truncated = element(xml, "IsTruncated") == "true";
  constexpr std::string_view kObject = "<Contents>";
  for (std::size_t at = xml.find(kObject); at != xml.npos; at = xml.find(kObject, at + kObject.size())) {
    const auto object = element(xml.substr(at), "Contents");
    const auto key = object ? element(*object, "Key") : std::nullopt;
    const auto written = object ? element(*object, "LastModified") : std::nullopt;
    const auto time = written ? parse_time(*written) : std::nullopt;
    if (!key || !time) return std::nullopt;
    listing.objects.push_back({unescaped(*key), *time});
  }
  return listing;
}

}  // namespace millrace::blob
