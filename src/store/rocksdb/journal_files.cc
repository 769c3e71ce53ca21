#include "store/rocksdb/journal_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "store/store_error.h"

namespace millrace::store::rocks {
namespace {

// Takes away what was written.
void skip(std::span<iovec>& parts, std::size_t written) {
  while (!parts.empty() && written >= parts.front().iov_len) {
    written -= parts.front().iov_len;
    parts = parts.subspan(1);
  }
  if (parts.empty()) return;
  parts.front().iov_base = static_cast<char*>(parts.front().iov_base) + written;
  parts.front().iov_len -= written;
}

}  // namespace

void fail_file(const std::string& path, const char* what, int error) {
  throw StoreError(Fate::broken, fmt::format("{} {}: {}", what, path, std::strerror(error)));
}

void write_at(const std::string& path, int file, std::size_t at, std::span<const std::string_view> parts) {
  std::array<iovec, 4> vectors{};
  std::ranges::transform(parts, vectors.begin(), [](std::string_view part) {
    return iovec{const_cast<char*>(part.data()), part.size()};  // pwritev() only reads it
  });
  std::span<iovec> left(vectors.data(), parts.size());
  auto offset = static_cast<off_t>(at);
  while (!left.empty()) {
    const ssize_t wrote = pwritev(file, left.data(), static_cast<int>(left.size()), offset);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail_file(path, "write", errno);
    offset += wrote;
    skip(left, static_cast<std::size_t>(wrote));
  }
}

void write_durably(const std::string& path, int file, std::size_t at, std::string_view pages) {
  while (!pages.empty()) {
    const iovec part{const_cast<char*>(pages.data()), pages.size()};  // pwritev2() only reads it
    const ssize_t wrote = pwritev2(file, &part, 1, static_cast<off_t>(at), RWF_DSYNC);
    if (wrote < 0 && errno == EINTR) continue;  // before anything was written
    if (wrote < 0) fail_file(path, "write", errno);
    const auto bytes = static_cast<std::size_t>(wrote);
    if (bytes == 0 || bytes % kPage != 0) fail_file(path, "write", EIO);  // the rest could not go on at a page
    at += bytes;
    pages.remove_prefix(bytes);
  }
}

void read_start(const std::string& path, int file, std::size_t bytes, std::string& out) {
  out.resize(bytes);
  std::size_t at = 0;
  while (at < bytes) {
    const ssize_t got = pread(file, out.data() + at, bytes - at, static_cast<off_t>(at));
    if (got < 0 && errno != EINTR) fail_file(path, "read", errno);
    if (got == 0) break;
    if (got > 0) at += static_cast<std::size_t>(got);
  }
  out.resize(at);
}

void sync_data(const std::string& path, int file) {
  if (fdatasync(file) != 0) fail_file(path, "sync", errno);
}

void sync_names(const std::string& folder) {
  const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) fail_file(folder, "open", errno);
  const int failed = fsync(opened);
  const int error = errno;
  close(opened);
  if (failed != 0) fail_file(folder, "sync", error);
}

JournalFile open_journal_file(const std::string& folder, int slot, Access access) {
  JournalFile opened{.path = folder + "/" + file_name(slot), .slot = slot};
  opened.file = open(opened.path.c_str(), (access == Access::write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (opened.file < 0) fail_file(opened.path, "open", errno);
  struct stat st{};
  if (fstat(opened.file, &st) != 0) fail_file(opened.path, "stat", errno);
  opened.bytes = static_cast<std::size_t>(st.st_size);
  std::string page;
  read_start(opened.path, opened.file, kPage, page);
  opened.secret = secret_in(page);
  opened.knows_marker = knows_marker(page);
  return opened;
}

JournalFile make_journal_file(const std::string& folder, int slot, std::size_t bytes, std::uint64_t secret) {
  JournalFile made{
      .path = folder + "/" + file_name(slot), .slot = slot, .bytes = bytes, .secret = secret, .knows_marker = true};
  const std::string unfinished = made.path + std::string(kUnfinished);
  made.file = open(unfinished.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (made.file < 0) fail_file(unfinished, "make", errno);
  const std::string zeros(std::size_t{1} << 20, '\0');
  for (std::size_t at = 0; at < bytes; at += zeros.size()) {
    const std::array part = {std::string_view(zeros).substr(0, bytes - at)};
    write_at(unfinished, made.file, at, part);
  }
  const std::string head = first_page(secret);
  const std::array part = {std::string_view(head)};
  write_at(unfinished, made.file, 0, part);
  if (fsync(made.file) != 0) fail_file(unfinished, "sync", errno);
  if (rename(unfinished.c_str(), made.path.c_str()) != 0) fail_file(made.path, "rename", errno);
  sync_names(folder);
  return made;
}

int open_direct(const JournalFile& file) {
  const int opened = open(file.path.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC);
  if (opened < 0 && errno != EINVAL) fail_file(file.path, "open", errno);
  return opened;
}

}  // namespace millrace::store::rocks
