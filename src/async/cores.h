// Which cores there are for this process, and keeping a thread on one.
#pragma once

#include <thread>
#include <vector>

namespace millrace::async {

// The cores that this process may use, ascending; never empty.
std::vector<int> usable_cores();

// The thread runs nowhere else from now on, and neither do threads that it starts later. Where the kernel refuses, it
// stays where it was.
void keep_on(std::thread& thread, int core);

}  // namespace millrace::async
