// How a command ends. A command that cannot go on throws Failure; it is caught once, in run().
#pragma once

#include <stdexcept>
#include <string>

namespace millrace::cli {

// Exit codes of every command but `serve`. docs/cli.md lists them.
enum class Exit : int {
  ok = 0,
  refused = 1,      // the server said no, or what was asked for is not there
  usage = 2,        // the command line is wrong
  unreachable = 3,  // there is no server, or the store cannot be used
};

// What is wrong, and in brackets what to do about it.
class Failure : public std::runtime_error {
 public:
  Failure(Exit exit, const std::string& what) : std::runtime_error(what), exit_(exit) {}
  Exit exit() const { return exit_; }

 private:
  Exit exit_;
};

}  // namespace millrace::cli
