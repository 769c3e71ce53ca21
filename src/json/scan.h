// Scanning sixteen bytes at a time. Never reads outside [p, end).
#pragma once

#include <emmintrin.h>

#include <bit>
#include <cstring>
#include <string_view>

namespace millrace::json {

inline bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Whether a byte of string content stands for itself: no quote, no backslash, no control character.
inline bool is_plain(char c) { return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20; }

// The first byte that is not plain, or end.
inline const char* plain_end(const char* p, const char* end) {
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i last_control = _mm_set1_epi8(0x1f);
  for (; end - p >= 16; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes);
    const __m128i special = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
    const int found = _mm_movemask_epi8(_mm_or_si128(control, special));
    if (found != 0) return p + std::countr_zero(static_cast<unsigned>(found));
  }
  while (p != end && is_plain(*p)) ++p;
  return p;
}

// Of the sixteen bytes at p.
inline bool is_plain_ascii_16(const char* p) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  // As signed numbers the bytes from 0x80 on are below the control characters.
  const __m128i low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
  const __m128i special =
      _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
  return _mm_movemask_epi8(_mm_or_si128(low, special)) == 0;
}

// Whether every byte is plain and ASCII, so that the text is its own JSON.
inline bool is_plain_ascii(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  for (; end - p >= 16; p += 16) {
    if (!is_plain_ascii_16(p)) return false;
  }
  // What is left, together with bytes before it that are fine already; a text shorter than 16 is padded.
  char tail[16];
  if (text.size() >= 16) {
    p = end - 16;
  } else {
    std::memset(tail, ' ', sizeof tail);
    text.copy(tail, text.size());
    p = tail;
  }
  return is_plain_ascii_16(p);
}

// The first byte that is not JSON whitespace, or end.
inline const char* space_end(const char* p, const char* end) {
  const __m128i blank = _mm_set1_epi8(' ');
  const __m128i line_feed = _mm_set1_epi8('\n');
  const __m128i carriage_return = _mm_set1_epi8('\r');
  const __m128i tab = _mm_set1_epi8('\t');
  for (; end - p >= 16; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i blanks = _mm_or_si128(_mm_cmpeq_epi8(bytes, blank), _mm_cmpeq_epi8(bytes, tab));
    const __m128i breaks = _mm_or_si128(_mm_cmpeq_epi8(bytes, line_feed), _mm_cmpeq_epi8(bytes, carriage_return));
    const unsigned spaces = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(blanks, breaks)));
    if (spaces != 0xffff) return p + std::countr_one(spaces);
  }
  while (p != end && is_space(*p)) ++p;
  return p;
}

}  // namespace millrace::json
