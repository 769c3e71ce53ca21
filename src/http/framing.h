// The strict reader of request heads: where one ends, what it says, and how long the body is. Pure.
// Whatever two servers could read in two ways (request smuggling) is refused, never repaired.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/method.h"

namespace millrace::http {

inline constexpr std::size_t kHeadBytesMax = 16 * 1024;  // request line and fields; cookies and tokens fit in it
inline constexpr std::size_t kFieldsMax = 100;
inline constexpr std::size_t kMethodBytesMax = 32;

// One header field; both are views into the head's text.
struct Field {
  std::string_view name;
  std::string_view value;
};

enum class Expect : std::uint8_t { nothing, continue_100, unknown };

// A request head that can be read in only one way. Views into the text it was read from.
struct Head {
  Method method = Method::other;
  std::string_view target;
  bool http_1_0 = false;
  bool keep_alive = true;
  bool chunked = false;                         // then content_length is empty
  std::optional<std::uint64_t> content_length;  // as declared
  Expect expect = Expect::nothing;
  std::vector<Field> fields;

  bool has_body() const { return chunked || content_length.value_or(0) > 0; }
  // The first field with this name, in any case.
  std::optional<std::string_view> field(std::string_view name) const;
};

// Where the head at the start of `bytes` ends.
struct HeadEnd {
  enum class State : std::uint8_t { incomplete, complete, bare_line_feed } state = State::incomplete;
  std::size_t size = 0;  // complete: bytes of the head with its empty line; incomplete: where to go on looking
};
// `from` is 0 or the size an earlier call gave for a prefix of the same bytes.
HeadEnd find_head_end(std::string_view bytes, std::size_t from);

// Reads a whole head, its final empty line included. Errc::malformed says what is wrong; the connection
// cannot be used after that.
Result<Head> check_framing(std::string_view raw_head);
// Whether it was refused for a version of HTTP that is not spoken here.
bool asks_other_version(std::string_view raw_head);

}  // namespace millrace::http
