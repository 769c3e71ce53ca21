#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace millrace {

void assertion_failed(const char* expression, const char* file, int line, const char* why) {
  std::fprintf(stderr, "millrace: bug: %s (%s) at %s:%d\n", why, expression, file, line);
  std::abort();
}

}  // namespace millrace
