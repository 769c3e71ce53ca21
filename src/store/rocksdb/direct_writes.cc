#include "store/rocksdb/direct_writes.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "store/rocksdb/journal_format.h"

namespace millrace::store::rocks {
namespace {

// RocksDB knows nothing of the name and leaves it alone; the journal takes what ends so for unfinished.
constexpr const char* kTrialName = "/direct.new";

// The errno of what failed; 0: nothing did.
int try_page(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
  const int refused = file < 0 ? errno : 0;
  unlink(path.c_str());  // also where it was refused: some file systems make the file first
  if (file < 0) return refused;
  alignas(kPage) static const std::array<char, kPage> kZeros{};
  const iovec page{const_cast<char*>(kZeros.data()), kPage};  // pwritev2() only reads it
  const ssize_t wrote = pwritev2(file, &page, 1, 0, RWF_DSYNC);
  const int error = wrote < 0 ? errno : 0;
  close(file);
  return error != 0 || wrote == static_cast<ssize_t>(kPage) ? error : EIO;
}

}  // namespace

bool takes_direct_writes(const std::string& folder) {
  const int error = try_page(folder + kTrialName);
  if (error != 0) spdlog::info("store: {} is written through the page cache: {}", folder, std::strerror(error));
  return error == 0;
}

}  // namespace millrace::store::rocks
