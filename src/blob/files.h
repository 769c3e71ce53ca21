// The few calls on files that the folder store needs, with their errors as Unavailable. Any thread.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace millrace::blob {

using Sync = std::function<int(int file)>;

[[noreturn]] void refuse(const std::string& path, const char* what, int error);

// A file descriptor that closes itself.
class File {
 public:
  File(const std::string& path, int flags, int mode = 0);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return file_; }
  bool is_open() const { return file_ >= 0; }

 private:
  int file_;
};

// A new file with these bytes, durable, but for its name. REQUIRES: the path is free.
void write_synced(const std::string& path, std::string_view bytes, const Sync& sync);
std::optional<std::string> read_whole(const std::string& path);
// Makes the names in it durable.
void sync_folder(const std::string& path, const Sync& sync);
// With all the folders above it, each durable, mode 0700.
void make_folders(const std::string& path, const Sync& sync);

Time written_at(const struct stat& status);

}  // namespace millrace::blob
