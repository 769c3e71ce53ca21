// Keys as file names and back: whatever a key holds, its path stays below the folder it is put in. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace millrace::blob {

// A relative path of one or more names, each of at most 201 bytes: never "." or "..", never hidden, never absolute.
// No two keys have the same one, and none is a folder on the way to another.
std::string path_of_key(std::string_view key);

// What path_of_key() made it from; nullopt for a path that it did not make.
std::optional<std::string> key_of_path(std::string_view path);

}  // namespace millrace::blob
