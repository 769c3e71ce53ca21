// For tests that damage data folders: files as text, and everything in a folder, to see what has changed.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace millrace::store::rocks {

inline std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

// Every name below a folder with every byte.
inline std::map<std::string, std::string> everything_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    all[std::filesystem::relative(entry.path(), folder)] = entry.is_regular_file() ? content(entry.path()) : "";
  }
  return all;
}

}  // namespace millrace::store::rocks
