// The grammar of RFC 8259 as one pass over a text, without recursion. Pure; used by json/parse.cc only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace millrace::json {

struct Refusal {
  std::size_t offset = 0;
  std::string message;
};

// Appends the nodes of the text; if it is refused, they are left half made.
// REQUIRES: `nodes` empty, the text valid UTF-8 and at most kTextBytesMax long.
std::optional<Refusal> scan(std::string_view text, int depth_max, std::vector<Node>& nodes);

}  // namespace millrace::json
