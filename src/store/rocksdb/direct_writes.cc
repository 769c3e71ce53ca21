#include "store/rocksdb/direct_writes.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/log.h"
#include "store/rocksdb/journal_format.h"

namespace millrace::store::rocks {
namespace {

// Nearly every group takes less. What is more is given back with the next record.
constexpr std::size_t kRoomKept = std::size_t{4} << 20;

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

std::string_view Pages::filled(std::span<const std::string_view> parts) {
  std::size_t bytes = 0;
  for (const std::string_view part : parts) bytes += part.size();
  const std::size_t pages = whole_pages(bytes);
  make_room(pages);
  char* at = memory_.get();
  for (const std::string_view part : parts) at = std::ranges::copy(part, at).out;
  std::fill_n(at, pages - bytes, '\0');
  return {memory_.get(), pages};
}

// In powers of two, so that records which grow little by little do not each ask for more.
void Pages::make_room(std::size_t bytes) {
  const bool has_too_much = room_ > kRoomKept && bytes <= kRoomKept;
  if (bytes <= room_ && !has_too_much) return;
  room_ = 0;
  memory_.reset();
  const std::size_t wanted = bytes > kRoomKept ? bytes : std::bit_ceil(bytes);
  memory_.reset(static_cast<char*>(std::aligned_alloc(kPage, wanted)));
  if (memory_ == nullptr) throw std::bad_alloc();
  room_ = wanted;
}

}  // namespace millrace::store::rocks
