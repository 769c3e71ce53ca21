#include "store/rocksdb/merge_priority.h"

#include <sys/resource.h>
#include <unistd.h>

#include <utility>

namespace millrace::store::rocks {
namespace {

// About a third of the processor time of a busy thread beside it. RocksDB itself knows only 19, which is next to
// nothing: with all processors busy merges stood still until writes were stopped, and the refused callers kept the
// processors busy.
constexpr int kSteps = 5;

}  // namespace

void MergePriority::OnCompactionBegin(rocksdb::DB* /*database*/, const rocksdb::CompactionJobInfo& /*merge*/) {
  thread_local bool lowered = false;
  if (std::exchange(lowered, true)) return;
  // Of this thread alone. It can't fail, and a thread of the usual priority would do.
  const auto thread = static_cast<id_t>(::gettid());
  ::setpriority(PRIO_PROCESS, thread, ::getpriority(PRIO_PROCESS, thread) + kSteps);
}

}  // namespace millrace::store::rocks
