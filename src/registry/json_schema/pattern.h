// Regular expressions of ECMA-262 (with its `u` flag), run by RE2: linear in the text, whatever the pattern.
// What RE2 cannot do (lookaround, backreferences) is refused with its name. Immutable; any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace millrace::registry::json_schema {

// A pattern longer than this is refused: nobody reads it, and each byte costs states.
inline constexpr std::size_t kPatternBytesMax = 16 * 1024;

class Pattern {
 public:
  // Errc::invalid: `detail` says what in the pattern is wrong or not supported.
  static Result<Pattern> compile(std::string_view source);
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  // Whether it matches somewhere in the text, which is valid UTF-8.
  bool found_in(std::string_view text) const;
  const std::string& source() const { return source_; }
  // Instructions of its automaton; what it costs to keep.
  std::size_t size() const;

 private:
  // The patterns people write most need no automaton.
  enum class Shape { anything, prefix, whole, general };
  Pattern(std::string source, Shape shape, std::string literal, std::unique_ptr<re2::RE2> automaton);

  std::string source_;
  Shape shape_;
  std::string literal_;
  std::unique_ptr<re2::RE2> automaton_;  // for Shape::general
};

// A well-formed ECMA-262 expression, whether or not RE2 can run it: what format "regex" asks.
bool is_ecma_pattern(std::string_view source);

}  // namespace millrace::registry::json_schema
