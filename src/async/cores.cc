#include "async/cores.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>

namespace millrace::async {

std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &set)) cores.push_back(core);
    }
  }
  if (!cores.empty()) return cores;
  // There are more cores than a set holds; keep_on() can't be for those beyond it.
  const int count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  for (int core = 0; core < count; ++core) cores.push_back(core);
  return cores;
}

void keep_on(std::thread& thread, int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  pthread_setaffinity_np(thread.native_handle(), sizeof set, &set);
}

}  // namespace millrace::async
