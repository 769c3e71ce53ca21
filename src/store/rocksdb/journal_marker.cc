#include "store/rocksdb/journal_marker.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "store/rocksdb/journal_files.h"

namespace millrace::store::rocks {
namespace {

constexpr std::size_t kPages = 2;

std::string path_in(const std::string& folder) { return folder + "/newest"; }

std::optional<Begun> latest_in(const std::string& path, int file) {
  std::string content;
  read_start(path, file, kPages * kPage, content);
  std::optional<Begun> latest;
  for (std::size_t at = 0; at < content.size(); at += kPage) {
    const auto begun = begun_in(std::string_view(content).substr(at));
    if (begun && (!latest || begun->sequence > latest->sequence)) latest = begun;
  }
  return latest;
}

// Whole before it has its name.
void make_marker(const std::string& folder) {
  const std::string unfinished = path_in(folder) + std::string(kUnfinished);
  const int file = open(unfinished.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) fail_file(unfinished, "make", errno);
  const std::string zeros(kPages * kPage, '\0');
  const std::array part = {std::string_view(zeros)};
  write_at(unfinished, file, 0, part);
  const int failed = fsync(file);
  const int error = errno;
  close(file);
  if (failed != 0) fail_file(unfinished, "sync", error);
  if (rename(unfinished.c_str(), path_in(folder).c_str()) != 0) fail_file(path_in(folder), "rename", errno);
  sync_names(folder);
}

}  // namespace

JournalMarker::JournalMarker(const std::string& folder) : path_(path_in(folder)) {
  file_ = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  if (file_ < 0 && errno == ENOENT) {
    make_marker(folder);
    file_ = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  }
  if (file_ < 0) fail_file(path_, "open", errno);
  latest_ = latest_in(path_, file_);
}

JournalMarker::~JournalMarker() { close(file_); }

void JournalMarker::write(int slot, std::uint64_t first) {
  const Begun begun{.sequence = latest_ ? latest_->sequence + 1 : 1, .slot = slot, .first = first};
  const std::string page = begun_page(begun);
  const std::array part = {std::string_view(page)};
  write_at(path_, file_, begun.sequence % kPages * kPage, part);
  sync_data(path_, file_);
  latest_ = begun;
}

std::optional<Begun> read_marker(const std::string& folder) {
  const std::string path = path_in(folder);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return std::nullopt;
  if (file < 0) fail_file(path, "open", errno);
  const auto latest = latest_in(path, file);
  close(file);
  return latest;
}

}  // namespace millrace::store::rocks
