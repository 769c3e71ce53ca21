// "Did you mean …?" Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace millrace::cli {

// How many letters have to be added, dropped, changed or swapped with their neighbour to make one of the other.
std::size_t distance(std::string_view a, std::string_view b);

// The word that was most likely meant; nullopt where none is near. A word that the text begins is near.
std::optional<std::string> nearest(std::string_view text, std::span<const std::string> words);

}  // namespace millrace::cli
