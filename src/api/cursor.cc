#include "api/cursor.h"

#include "base/bytes.h"
#include "base/digest.h"

namespace millrace::api {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t kCheckBytes = 4;

std::string check_of(std::string_view listing, std::string_view last) {
  std::string covered = "cursor";
  put_string(covered, listing);
  covered += last;
  return sha256(covered).substr(0, kCheckBytes);
}

}  // namespace

std::string make_cursor(std::string_view listing, std::string_view last) {
  return to_base64url(std::string(last) + check_of(listing, last));
}

std::optional<std::string> read_cursor(std::string_view listing, std::string_view cursor) {
  std::optional<std::string> bytes = from_base64url(cursor);
  if (!bytes || bytes->size() < kCheckBytes) return std::nullopt;
  const std::string check = bytes->substr(bytes->size() - kCheckBytes);
  bytes->resize(bytes->size() - kCheckBytes);
  if (check_of(listing, *bytes) != check) return std::nullopt;
  return bytes;
}

std::string make_number_cursor(std::string_view listing, std::uint64_t last) {
  std::string bytes;
  put_u64_be(bytes, last);
  return make_cursor(listing, bytes);
}

std::optional<std::uint64_t> read_number_cursor(std::string_view listing, std::string_view cursor) {
  const std::optional<std::string> bytes = read_cursor(listing, cursor);
  if (!bytes || bytes->size() != 8) return std::nullopt;
  return ByteReader(*bytes).u64_be();
}

std::string to_base64url(std::string_view bytes) {
  std::string out;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<std::uint8_t>(c);
    for (held += 8; held >= 6; held -= 6) out.push_back(kAlphabet[bits >> (held - 6) & 63]);
  }
  if (held > 0) out.push_back(kAlphabet[bits << (6 - held) & 63]);
  return out;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : text) {
    const std::size_t value = kAlphabet.find(c);
    if (value == kAlphabet.npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out.push_back(static_cast<char>(bits >> held & 255));
    }
  }
  // Left-over bits that are not zero, or a whole unused character: another spelling of the same bytes.
  if (held >= 6 || (bits & ((1u << held) - 1)) != 0) return std::nullopt;
  return out;
}

}  // namespace millrace::api
