// The binary encoding of stored records: fixed big-endian numbers for keys (byte order = numeric
// order), varints and length-prefixed strings for values.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace millrace {

// A stored record that does not decode: the disk or another program changed it.
struct CorruptRecord : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void put_u8(std::string& out, std::uint8_t v) { out.push_back(static_cast<char>(v)); }
void put_u16_be(std::string& out, std::uint16_t v);
void put_u64_be(std::string& out, std::uint64_t v);
void put_varint(std::string& out, std::uint64_t v);
// Signed, small absolute values short.
void put_zigzag(std::string& out, std::int64_t v);
void put_string(std::string& out, std::string_view v);

// Reads what the functions above wrote, in the same order. Throws CorruptRecord past the end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  std::uint8_t u8();
  std::uint16_t u16_be();
  std::uint64_t u64_be();
  std::uint64_t varint();
  std::int64_t zigzag();
  std::string_view string();
  bool done() const { return rest_.empty(); }

 private:
  std::string_view take(std::size_t n);
  std::string_view rest_;
};

}  // namespace millrace
