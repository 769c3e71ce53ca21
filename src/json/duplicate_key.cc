#include "json/duplicate_key.h"

#include <absl/container/flat_hash_set.h>

#include <array>
#include <cstring>

#include "json/escape.h"

namespace millrace::json {
namespace {

// Objects up to here are checked in a table on the stack; even if all their keys collide, a key is
// compared with this many others and no more.
constexpr std::uint32_t kSmallMembers = 64;
constexpr int kSlotBits = 7;  // twice as many slots as keys

std::string_view source_content(const Node& key, const char* text) { return {text + key.begin + 1, key.length - 2}; }

std::uint64_t load8(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

std::uint64_t load4(const char* p) {
  std::uint32_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// Length, first and last bytes, mixed. Cheap, not secret: the small table bounds what collisions cost.
std::uint64_t fingerprint(std::string_view key) {
  const std::size_t n = key.size();
  const char* const p = key.data();
  std::uint64_t bytes = 0;
  if (n >= 8) {
    bytes = load8(p) ^ (load8(p + n - 8) * 31);
  } else if (n >= 4) {
    bytes = load4(p) | load4(p + n - 4) << 32;
  } else if (n > 0) {
    bytes = static_cast<std::uint64_t>(p[0]) | static_cast<std::uint64_t>(p[n / 2]) << 8 |
            static_cast<std::uint64_t>(p[n - 1]) << 16;
  }
  return (bytes ^ n << 56) * 0x9e3779b97f4a7c15;
}

const Node* find_among_few(const Node* object, const char* text) {
  std::array<std::uint8_t, 1 << kSlotBits> slots{};  // 1 + index into keys; 0 is free
  std::array<const Node*, kSmallMembers> keys;
  std::array<std::uint64_t, kSmallMembers> prints;
  std::size_t count = 0;
  for (const Node* key = object + 1; key != object + object->span; key += 1 + key[1].span) {
    const std::string_view content = source_content(*key, text);
    const std::uint64_t print = fingerprint(content);
    std::size_t slot = print >> (64 - kSlotBits);
    for (; slots[slot] != 0; slot = (slot + 1) % slots.size()) {
      const std::size_t other = slots[slot] - 1u;
      if (prints[other] == print && source_content(*keys[other], text) == content) return key;
    }
    keys[count] = key;
    prints[count] = print;
    slots[slot] = static_cast<std::uint8_t>(++count);
  }
  return nullptr;
}

std::size_t escaped_key_bytes(const Node* object) {
  std::size_t bytes = 0;
  for (const Node* key = object + 1; key != object + object->span; key += 1 + key[1].span) {
    if ((key->bits & Node::kEscaped) != 0) bytes += key->length;
  }
  return bytes;
}

// Hashes with the process's own seed, so that nobody can prepare keys that collide.
const Node* find_among_many(const Node* object, const char* text, std::uint32_t members, std::size_t escaped_bytes) {
  absl::flat_hash_set<std::string_view> seen;
  seen.reserve(members);
  // Content that has to be unescaped lives here; reserved first, because `seen` points into it.
  std::string unescaped;
  unescaped.reserve(escaped_bytes);
  for (const Node* key = object + 1; key != object + object->span; key += 1 + key[1].span) {
    std::string_view content = source_content(*key, text);
    if ((key->bits & Node::kEscaped) != 0) {
      const std::size_t start = unescaped.size();
      append_unescaped(unescaped, content);
      content = std::string_view(unescaped).substr(start);
    }
    if (!seen.insert(content).second) return key;
  }
  return nullptr;
}

}  // namespace

const Node* find_duplicate_key(const Node* object, const char* text) {
  const std::uint32_t members = object->bits >> Node::kCountShift;
  if (members < 2) return nullptr;
  const std::size_t escaped_bytes = escaped_key_bytes(object);
  if (members <= kSmallMembers && escaped_bytes == 0) return find_among_few(object, text);
  return find_among_many(object, text, members, escaped_bytes);
}

}  // namespace millrace::json
