#include "base/ids.h"

#include <openssl/evp.h>

#include <algorithm>

#include "base/assert.h"

namespace millrace {
namespace {

constexpr std::int64_t kTsidEpochMs = 1'577'836'800'000;  // 2020-01-01
constexpr char kCrockford[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

bool is_tenant_start(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_tenant_char(char c) { return is_tenant_start(c) || c == '.' || c == '_' || c == '-'; }

int crockford_value(char c) {
  if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  if (c == 'O') c = '0';
  if (c == 'I' || c == 'L') c = '1';
  for (int i = 0; i < 32; ++i) {
    if (kCrockford[i] == c) return i;
  }
  return -1;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// With the version and the variant set. Two for every HTTP request, so without the formatter.
std::string format_uuid(UuidBytes bytes, unsigned version) {
  static constexpr char kHex[] = "0123456789abcdef";
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0f) | version << 4);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3f) | 0x80);
  std::string out(36, '-');
  char* at = out.data();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) ++at;
    *at++ = kHex[bytes[i] >> 4];
    *at++ = kHex[bytes[i] & 15];
  }
  return out;
}

}  // namespace

ShardId initial_shard(std::string_view tenant) {
  std::uint64_t h = 1469598103934665603ull;  // FNV-1a: stable across builds and machines
  for (const char c : tenant) h = (h ^ static_cast<std::uint8_t>(c)) * 1099511628211ull;
  h ^= h >> 32;
  return ShardId{static_cast<std::uint16_t>(h % kTenantShards)};
}

std::optional<TenantId> TenantId::parse(std::string_view text) {
  if (text.empty() || text.size() > 63 || !is_tenant_start(text.front())) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), is_tenant_char)) return std::nullopt;
  return TenantId(std::string(text));
}

std::uint64_t TsidSource::next(std::int64_t now_ms) {
  const std::int64_t since = std::max<std::int64_t>(now_ms - kTsidEpochMs, 0);
  last_tick_ = std::max(last_tick_ + 1, static_cast<std::uint64_t>(since) << 12);
  const std::uint64_t ms = last_tick_ >> 12;
  MR_ASSERT(ms < (std::uint64_t{1} << 42), "TSID time ran out");
  return ms << 22 | static_cast<std::uint64_t>(shard_.value & 0x3ff) << 12 | (last_tick_ & 0xfff);
}

void TsidSource::resume_after(std::uint64_t last) {
  last_tick_ = std::max(last_tick_, last >> 22 << 12 | (last & 0xfff));
}

std::string format_tsid(std::uint64_t tsid) {
  std::string out(13, '0');
  for (int i = 12; i >= 0; --i, tsid >>= 5) out[static_cast<std::size_t>(i)] = kCrockford[tsid & 31];
  return out;
}

std::optional<std::uint64_t> parse_tsid(std::string_view text) {
  if (text.size() != 13) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    const int digit = crockford_value(c);
    if (digit < 0 || value >> 59 != 0) return std::nullopt;
    value = value << 5 | static_cast<std::uint64_t>(digit);
  }
  return value;
}

std::string make_uuid_v7(std::int64_t now_ms, const std::array<std::uint8_t, 10>& random) {
  std::array<std::uint8_t, 16> b{};
  for (int i = 0; i < 6; ++i) b[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(now_ms >> (40 - 8 * i));
  std::copy(random.begin(), random.end(), b.begin() + 6);
  return format_uuid(b, 7);
}

std::optional<UuidBytes> parse_uuid(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  UuidBytes bytes{};
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const int digit = hex_value(text[i]);
    if (digit < 0) return std::nullopt;
    std::uint8_t& byte = bytes[digits++ / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | digit);
  }
  return bytes;
}

std::string make_uuid_v5(const UuidBytes& space, std::string_view name) {
  std::string input(space.begin(), space.end());
  input += name;
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> sha1{};
  const int good = EVP_Digest(input.data(), input.size(), sha1.data(), nullptr, EVP_sha1(), nullptr);
  MR_ASSERT(good == 1, "SHA-1 is not to be had");
  UuidBytes bytes{};
  std::copy_n(sha1.begin(), bytes.size(), bytes.begin());
  return format_uuid(bytes, 5);
}

}  // namespace millrace
