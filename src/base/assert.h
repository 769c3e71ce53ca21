// MR_ASSERT: an invariant that stays checked in release. A broken one is a bug in Millrace, never the
// caller's input; it prints what and where and aborts, so that nothing wrong is acknowledged.
#pragma once

namespace millrace {

[[noreturn]] void assertion_failed(const char* expression, const char* file, int line, const char* why);

}  // namespace millrace

#define MR_ASSERT(expression, why) \
  ((expression) ? static_cast<void>(0) : ::millrace::assertion_failed(#expression, __FILE__, __LINE__, (why)))
