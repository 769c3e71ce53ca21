// What another program prints, run without a shell.
#pragma once

#include <string>
#include <vector>

namespace millrace::cli {

struct ChildOutput {
  int code = 0;  // its exit code; 128 and the signal that ended it
  std::string out;
  std::string err;
};

// Finds argv[0] on the PATH, gives it no input, and waits for its end. Throws Failure{refused} where it cannot be
// started.
ChildOutput run_child(const std::vector<std::string>& argv);

}  // namespace millrace::cli
