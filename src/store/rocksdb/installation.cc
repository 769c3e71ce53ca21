// The embedded store's installation is a file beside its tables, so that it can be read while they are in use.
#include "store/installation.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "store/rocksdb/data_folder.h"
#include "store/store_error.h"

namespace millrace::store {
namespace {

std::string path_in(const std::string& folder) { return folder + "/installation"; }

[[noreturn]] void refuse(const std::string& path, const char* what, int error) {
  throw StoreError(Fate::broken, fmt::format("{} {}: {}", path, what, std::strerror(error)));
}

// Under another name first: a file of this name always has all of its bytes.
void write_durably(const std::string& folder, const std::string& text) {
  const std::string fresh = path_in(folder) + ".new";
  const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) refuse(fresh, "cannot be made", errno);
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const bool synced = written && ::fsync(file) == 0;
  const int error = written ? errno : ENOSPC;
  ::close(file);
  if (!synced) refuse(fresh, "cannot be written", error);
  if (::rename(fresh.c_str(), path_in(folder).c_str()) != 0) refuse(path_in(folder), "cannot be named", errno);
  rocks::sync_folder(folder);
}

}  // namespace

std::optional<std::string> find_rocksdb_installation(const std::string& path) {
  // One that cannot be read is not absent: a new one in its place would make the blobs another's.
  if (::access(path_in(path).c_str(), F_OK) != 0 && errno == ENOENT) return std::nullopt;
  std::ifstream file(path_in(path));
  if (!file) refuse(path_in(path), "cannot be read", errno);
  std::string text;
  std::getline(file, text);
  if (is_installation(text)) return text;
  throw StoreError(Fate::broken,
                   fmt::format("{} is damaged: restore it from a backup; it is the line that the mark in the place of "
                               "the blobs holds (.millrace-installation)",
                               path_in(path)));
}

std::string rocksdb_installation(const std::string& path) {
  if (auto found = find_rocksdb_installation(path)) return *std::move(found);
  std::string made = make_installation();
  write_durably(path, made + "\n");
  return made;
}

}  // namespace millrace::store
