// Identities as types, so that an item's number is never mistaken for a log entry's.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace millrace {

// A number with a name. Tag makes the type; the value is whatever the tenant's counter gave.
template <class Tag>
struct Number {
  std::uint64_t value = 0;

  constexpr auto operator<=>(const Number&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const Number& n) {
    return H::combine(std::move(h), n.value);
  }
};

// Counters of a tenant, from 1, never reused; below 2^53 so that JavaScript can hold them.
using ItemId = Number<struct ItemTag>;
using LogId = Number<struct LogTag>;
using Position = Number<struct PositionTag>;      // of an event in its tenant's log, gapless
using AuditSeq = Number<struct AuditTag>;         // of an entry in its tenant's audit chain, gapless
using Epoch = Number<struct EpochTag>;            // fences a former owner of a shard; grows with each owner
using LeaseToken = Number<struct LeaseTokenTag>;  // names one lease of one item; 0 = none
using RequestId = Number<struct RequestTag>;      // one caller waiting for one answer, within a process

inline constexpr std::uint64_t kIdMax = (std::uint64_t{1} << 53) - 1;

// One of kShards virtual shards; a tenant lives in one. The last one is the system shard, which
// owns tenants and keys.
struct ShardId {
  std::uint16_t value = 0;
  constexpr auto operator<=>(const ShardId&) const = default;
};
inline constexpr std::uint16_t kTenantShards = 1024;
inline constexpr ShardId kSystemShard{kTenantShards};
inline constexpr std::uint16_t kAllShards = kTenantShards + 1;

// Where a tenant is placed when it is first seen. Stored then; never recomputed for a known tenant.
ShardId initial_shard(std::string_view tenant);

// The owner of data. Every store call requires one. Text: [a-z0-9][a-z0-9._-]{0,62}.
class TenantId {
 public:
  static std::optional<TenantId> parse(std::string_view text);
  // The tenant used when access control is off and none is named.
  static TenantId default_tenant() { return TenantId("default"); }
  // For bytes that were a TenantId when they were stored.
  static TenantId trusted(std::string text) { return TenantId(std::move(text)); }

  const std::string& text() const { return text_; }
  auto operator<=>(const TenantId&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const TenantId& t) {
    return H::combine(std::move(h), t.text_);
  }

 private:
  explicit TenantId(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// Time-sorted id: 42 bits of milliseconds since 2020, 10 of shard, 12 of counter; 13 Crockford
// base-32 characters. Monotone within a shard, also across restarts and clock steps back.
class TsidSource {
 public:
  explicit TsidSource(ShardId shard) : shard_(shard) {}
  std::uint64_t next(std::int64_t now_ms);
  // After recovery: never give out anything at or below `last`.
  void resume_after(std::uint64_t last);

 private:
  ShardId shard_;
  std::uint64_t last_tick_ = 0;  // milliseconds << 12 | counter
};
std::string format_tsid(std::uint64_t tsid);
std::optional<std::uint64_t> parse_tsid(std::string_view text);

// UUIDv7 from a time and 10 random bytes, in the usual text form.
std::string make_uuid_v7(std::int64_t now_ms, const std::array<std::uint8_t, 10>& random);

using UuidBytes = std::array<std::uint8_t, 16>;
// The usual text form, in either case.
std::optional<UuidBytes> parse_uuid(std::string_view text);
// UUIDv5 (RFC 9562): always the same for the same space and name.
std::string make_uuid_v5(const UuidBytes& space, std::string_view name);

}  // namespace millrace
