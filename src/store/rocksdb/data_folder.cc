#include "store/rocksdb/data_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "store/store_error.h"

namespace millrace::store::rocks {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw StoreError(Fate::broken, fmt::format("data folder {}: {}", path, why));
}

void make_folder(const fs::path& path) {
  const fs::path parent = path.parent_path();
  if (!parent.empty() && !fs::exists(parent)) make_folder(parent);
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    refuse(path, fmt::format("cannot be made: {}", std::strerror(errno)));
  }
  sync_folder(parent.empty() ? "." : parent.string());
}

}  // namespace

void sync_folder(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;  // not ours to open, so not ours to sync
  const int failed = ::fsync(fd);
  const int error = errno;
  ::close(fd);
  if (failed != 0 && error != EINVAL) refuse(path, fmt::format("cannot be synced: {}", std::strerror(error)));
}

void prepare_folder(const std::string& path) {
  if (path.empty()) throw StoreError(Fate::broken, "no data folder is named");
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) {
    if (errno != ENOENT) refuse(path, std::strerror(errno));
    // Without a slash at the end, which would hide the folder's own name.
    make_folder(fs::path(path).has_filename() ? fs::path(path) : fs::path(path).parent_path());
    return;
  }
  if (!S_ISDIR(found.st_mode)) refuse(path, "is not a folder");
  if (found.st_uid != ::geteuid() && ::geteuid() != 0) {
    refuse(path, fmt::format("belongs to user {}, this process runs as user {}", found.st_uid, ::geteuid()));
  }
  if (::access(path.c_str(), R_OK | W_OK | X_OK) != 0) {
    refuse(path, fmt::format("cannot be read and written: {}", std::strerror(errno)));
  }
}

Findings folder_findings(const std::string& path) {
  Findings findings;
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return findings;
  if ((found.st_mode & 077) != 0) {
    findings.push_back(warning(
        fmt::format("data folder {} is open to other users (mode {:04o}); chmod 700", path, found.st_mode & 07777)));
  }
  struct statvfs disk{};
  if (::statvfs(path.c_str(), &disk) != 0) return findings;
  const std::uint64_t free = disk.f_bavail * disk.f_frsize;
  const std::uint64_t all = disk.f_blocks * disk.f_frsize;
  if (free < kGiB || free < all / 20) {
    findings.push_back(warning(fmt::format("the disk of {} has {} MiB free of {} MiB", path, free >> 20, all >> 20)));
  }
  return findings;
}

std::optional<std::uint64_t> free_bytes(const std::string& path) {
  struct statvfs disk{};
  if (::statvfs(path.c_str(), &disk) != 0) return std::nullopt;
  return disk.f_bavail * disk.f_frsize;
}

}  // namespace millrace::store::rocks
