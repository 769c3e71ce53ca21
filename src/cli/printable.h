// Text of unknown origin made safe for a terminal, and measured in its columns. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace millrace::cli {

// One line without anything that a terminal would obey: line ends and tabs become spaces; other control
// characters, marks that reorder text and invalid UTF-8 become '?'.
std::string printable(std::string_view text);

// How many columns the text takes. REQUIRES: printable().
std::size_t width_of(std::string_view text);

// The text itself if it fits in `width` columns, else its beginning with "…" at the end. REQUIRES: printable().
std::string cut_to(std::string_view text, std::size_t width);

}  // namespace millrace::cli
