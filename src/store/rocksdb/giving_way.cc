#include "store/rocksdb/giving_way.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <utility>

namespace millrace::store::rocks {
namespace {

// About a third of the processor time of a busy thread beside it. RocksDB itself knows only 19, which is next to
// nothing: with all processors busy merges stood still until writes were stopped, and the refused callers kept the
// processors busy.
constexpr int kSteps = 5;

// Left alone, such a thread keeps its processor until the kernel's next tick, up to 4 ms, though somebody who was woken
// meanwhile waits for it. So often it asks whether there is somebody; if not, that costs 0.4 µs.
constexpr std::chrono::microseconds kTurn(100);

}  // namespace

void MergePriority::OnCompactionBegin(rocksdb::DB* /*database*/, const rocksdb::CompactionJobInfo& /*merge*/) {
  thread_local bool lowered = false;
  if (std::exchange(lowered, true)) return;
  // Of this thread alone. It can't fail, and a thread of the usual priority would do.
  const auto thread = static_cast<id_t>(::gettid());
  ::setpriority(PRIO_PROCESS, thread, ::getpriority(PRIO_PROCESS, thread) + kSteps);
}

void GivingWay::BlockAdd(std::uint64_t /*bytes*/, std::uint64_t /*fast*/, std::uint64_t /*slow*/) {
  if (std::chrono::steady_clock::now() - since_ < kTurn) return;
  ::sched_yield();
  since_ = std::chrono::steady_clock::now();
}

}  // namespace millrace::store::rocks
