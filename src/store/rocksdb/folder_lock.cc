#include "store/rocksdb/folder_lock.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace millrace::store::rocks {
namespace {

std::string path_in(const std::string& folder) { return folder + "/LOCK"; }

// Whose it is, where that may be the reason.
std::string owner_text(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0 || found.st_uid == ::geteuid()) return "";
  return fmt::format(
      "; it belongs to user {}, this process runs as user {}: chown the folder and all that is in it to the server's "
      "user",
      found.st_uid, ::geteuid());
}

}  // namespace

// A status has no errno, only RocksDB's words for what it did, the file, and the words for the errno.
std::optional<std::string> lock_refusal(const std::string& folder, const rocksdb::Status& status) {
  const std::string text = status.ToString();
  const std::string file = path_in(folder) + ": ";
  const std::size_t at = text.find(file);
  if (!status.IsIOError() || at == std::string::npos) return std::nullopt;
  const std::string_view done = std::string_view(text).substr(0, at);
  const std::string_view why = std::string_view(text).substr(at + file.size());
  if (done.contains("lock hold by current process")) return kLockInUse;
  const bool opened = done.contains("While lock file");
  // POSIX has two for a lock that another process holds.
  if (opened && (why == std::strerror(EAGAIN) || why == std::strerror(EACCES))) return kLockInUse;
  return fmt::format("its file LOCK cannot be {}: {}{}", opened ? "locked" : "opened", why,
                     owner_text(path_in(folder)));
}

FolderLock::FolderLock(const std::string& folder) {
  const std::string file = path_in(folder);
  if (!env_->FileExists(file).ok()) return;
  const rocksdb::Status status = env_->LockFile(file, &lock_);
  if (!status.ok()) refusal_ = lock_refusal(folder, status).value_or(status.ToString());
}

FolderLock::~FolderLock() {
  if (lock_ != nullptr) env_->UnlockFile(lock_);
}

}  // namespace millrace::store::rocks
