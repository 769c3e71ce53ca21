#include <sys/resource.h>

#include "cli/examine.h"

namespace millrace::cli {

Findings examine_machine(Time now) {
  Findings findings;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) findings.push_back(judge_descriptors(limit.rlim_cur, limit.rlim_max));
  findings.push_back(judge_clock(now));
  return findings;
}

}  // namespace millrace::cli
