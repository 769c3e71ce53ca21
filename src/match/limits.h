// The bounds of a pattern; docs/pattern-language.md tells them with their reasons, and a test compares the two.
#pragma once

#include <cstddef>

namespace millrace::match {

// Source text of a pattern without spaces between its tokens. EventBridge stops at 2 to 4 KiB.
inline constexpr std::size_t kPatternBytesMax = 64 * 1024;
// Ways to satisfy a pattern once every $or, and every field that may also be missing, is multiplied out.
inline constexpr std::size_t kAlternativesMax = 1000;
// Fields of all the ways together, so that a compiled pattern stays in proportion to its source.
inline constexpr std::size_t kAlternativeFieldsMax = 10'000;
// One compiled regular expression, its automaton included.
inline constexpr std::size_t kRegexBytesMax = 256 * 1024;
// What EventBridge allows in `numeric` and `anything-but`, on both sides of zero.
inline constexpr const char* kEventBridgeNumberMax = "5e9";

}  // namespace millrace::match
