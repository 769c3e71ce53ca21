// Writes past the page cache: what the file system takes, and what such a write wants. Any thread.
#pragma once

#include <string>

namespace millrace::store::rocks {

// Whether files of the folder can be written past the page cache, durably with the write itself: found out by one page
// in a file that has lost its name before it is written. A crash can leave it empty; the next call takes it away.
bool takes_direct_writes(const std::string& folder);

}  // namespace millrace::store::rocks
