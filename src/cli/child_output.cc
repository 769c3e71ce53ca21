#include "cli/child_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "cli/failure.h"

namespace millrace::cli {
namespace {

// Both ends close with it and at exec.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw Failure(Exit::refused, "no pipe can be opened");
  }
  ~Pipe() {
    ::close(ends_[0]);
    close_writing();
  }
  Pipe(const Pipe&) = delete;
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_writing() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{};
};

// False at its end.
bool read_some(int fd, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  into.append(buffer.data(), static_cast<std::size_t>(got));
  return true;
}

// Both at once: a child that waits for one to be read would otherwise never end the other.
void read_both(int out, int err, ChildOutput& output) {
  std::array<pollfd, 2> waiting = {pollfd{out, POLLIN, 0}, pollfd{err, POLLIN, 0}};
  while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
    if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
    if (waiting[0].revents != 0 && !read_some(out, output.out)) waiting[0].fd = -1;
    if (waiting[1].revents != 0 && !read_some(err, output.err)) waiting[1].fd = -1;
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ChildOutput run_child(const std::vector<std::string>& argv) {
  Pipe out;
  Pipe err;
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out.writing(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err.writing(), STDERR_FILENO);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw Failure(Exit::refused, fmt::format("{} cannot be started: {}", argv[0], std::strerror(failed)));
  }
  out.close_writing();
  err.close_writing();
  ChildOutput output;
  read_both(out.reading(), err.reading(), output);
  output.code = wait_for(child);
  return output;
}

}  // namespace millrace::cli
