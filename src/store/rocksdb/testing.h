// For tests that damage data folders: files as text, and everything in a folder, to see what has changed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <system_error>

namespace millrace::store::rocks {

inline std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

// The names in a folder, and how far its list of table files goes: what of it RocksDB changes at times of its own.
inline std::map<std::string, std::uintmax_t> names_in(const std::filesystem::path& folder) {
  std::map<std::string, std::uintmax_t> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    std::error_code gone;
    names[name] = name.starts_with("MANIFEST") ? entry.file_size(gone) : 0;
  }
  return names;
}

// A folder as a crash would leave it, though the store is open. A copy during which RocksDB made or removed files would
// be of two moments: it is made again.
inline void copy_open_folder(const std::filesystem::path& from, const std::filesystem::path& to) {
  while (true) {
    const auto before = names_in(from);
    std::error_code error;
    std::filesystem::copy(from, to, std::filesystem::copy_options::recursive, error);
    if (!error && names_in(from) == before) return;
    if (error && error != std::errc::no_such_file_or_directory) {
      throw std::filesystem::filesystem_error("not copied", from, error);
    }
    std::filesystem::remove_all(to);
  }
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
