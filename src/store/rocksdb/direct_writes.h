// Writes past the page cache: where they are taken, and the aligned memory that they want. docs/adr/0019.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace millrace::store::rocks {

// Whether files of the folder can be written past the page cache, durably with the write itself: found out by one page
// in a file that has lost its name before it is written. A crash can leave it empty; the next call takes it away.
// Any thread.
bool takes_direct_writes(const std::string& folder);

// Memory of whole pages at an address that a direct write takes. One thread.
class Pages {
 public:
  // The parts one after the other, then zeros to the end of the page; until the next call. Keeps its room for that
  // one, but what only a huge record needed.
  std::string_view filled(std::span<const std::string_view> parts);

 private:
  void make_room(std::size_t bytes);

  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  std::unique_ptr<char, Free> memory_;
  std::size_t room_ = 0;
};

}  // namespace millrace::store::rocks
