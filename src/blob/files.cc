#include "blob/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/unavailable.h"

namespace millrace::blob {

void refuse(const std::string& path, const char* what, int error) {
  throw Unavailable(fmt::format("blob store: {} {}: {}", path, what, std::strerror(error)));
}

File::File(const std::string& path, int flags, int mode) : file_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
File::~File() {
  if (file_ >= 0) ::close(file_);
}

void write_synced(const std::string& path, std::string_view bytes, const Sync& sync) {
  const File file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!file.is_open()) refuse(path, "cannot be made", errno);
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) refuse(path, "cannot be written", written == 0 ? ENOSPC : errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (sync(file.get()) != 0) refuse(path, "cannot be synced", errno);
}

std::optional<std::string> read_whole(const std::string& path) {
  const File file(path, O_RDONLY | O_NOFOLLOW);
  if (!file.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    refuse(path, "cannot be opened", errno);
  }
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) refuse(path, "cannot be read", errno);
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) refuse(path, "cannot be read", got == 0 ? EIO : errno);
    filled += static_cast<std::size_t>(got);
  }
  return bytes;
}

void sync_folder(const std::string& path, const Sync& sync) {
  const File folder(path, O_RDONLY | O_DIRECTORY);
  if (!folder.is_open()) refuse(path, "cannot be opened", errno);
  if (sync(folder.get()) != 0) refuse(path, "cannot be synced", errno);
}

void make_folders(const std::string& path, const Sync& sync) {
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0) {
    if (!S_ISDIR(status.st_mode)) refuse(path, "is in the way", ENOTDIR);
    return;
  }
  const std::string parent = std::filesystem::path(path).parent_path().string();
  if (!parent.empty()) make_folders(parent, sync);
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) refuse(path, "cannot be made", errno);
  // Also one that somebody else just made: it may not be durable yet.
  sync_folder(parent.empty() ? "." : parent, sync);
}

Time written_at(const struct stat& status) {
  return time_from_ms(static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1000 + status.st_mtim.tv_nsec / 1'000'000);
}

}  // namespace millrace::blob
