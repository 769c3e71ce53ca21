#include "base/bytes.h"

namespace millrace {

void put_u16_be(std::string& out, std::uint16_t v) {
  put_u8(out, static_cast<std::uint8_t>(v >> 8));
  put_u8(out, static_cast<std::uint8_t>(v));
}

void put_u64_be(std::string& out, std::uint64_t v) {
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(v >> (56 - 8 * i));
  out.append(bytes, sizeof bytes);
}

void put_varint(std::string& out, std::uint64_t v) {
  if (v < 0x80) return put_u8(out, static_cast<std::uint8_t>(v));
  char bytes[10];
  std::size_t size = 0;
  for (; v >= 0x80; v >>= 7) bytes[size++] = static_cast<char>(v | 0x80);
  bytes[size++] = static_cast<char>(v);
  out.append(bytes, size);
}

void put_zigzag(std::string& out, std::int64_t v) {
  put_varint(out, static_cast<std::uint64_t>(v) << 1 ^ static_cast<std::uint64_t>(v >> 63));
}

void put_string(std::string& out, std::string_view v) {
  put_varint(out, v.size());
  out.append(v);
}

std::string_view ByteReader::take(std::size_t n) {
  if (n > rest_.size()) throw CorruptRecord("record ends early");
  const std::string_view taken = rest_.substr(0, n);
  rest_.remove_prefix(n);
  return taken;
}

std::uint8_t ByteReader::u8() { return static_cast<std::uint8_t>(take(1).front()); }

std::uint16_t ByteReader::u16_be() {
  const auto high = u8();
  return static_cast<std::uint16_t>(high << 8 | u8());
}

std::uint64_t ByteReader::u64_be() {
  std::uint64_t v = 0;
  for (const char c : take(8)) v = v << 8 | static_cast<std::uint8_t>(c);
  return v;
}

std::uint64_t ByteReader::varint() {
  std::uint64_t v = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::uint8_t b = u8();
    v |= static_cast<std::uint64_t>(b & 0x7f) << shift;
    if ((b & 0x80) == 0) return v;
  }
  throw CorruptRecord("number too long");
}

std::int64_t ByteReader::zigzag() {
  const std::uint64_t v = varint();
  return static_cast<std::int64_t>(v >> 1 ^ (~(v & 1) + 1));
}

std::string_view ByteReader::string() { return take(varint()); }

}  // namespace millrace
