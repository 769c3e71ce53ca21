// A broken promise, found by the auditor. Ends the history.
#pragma once

#include <fmt/format.h>

#include <stdexcept>

namespace millrace::simulation {

struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace millrace::simulation

// Throws a Violation unless `holds`. A macro, because the text is made only then: it costs far more than the check.
#define MR_REQUIRE(holds, ...) \
  ((holds) ? static_cast<void>(0) : throw ::millrace::simulation::Violation(fmt::format(__VA_ARGS__)))
