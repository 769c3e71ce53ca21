#include "postgres/test_cluster.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>

#include "base/assert.h"

namespace millrace::test {
namespace {

namespace fs = std::filesystem;
using store::postgres::Connection;

// The newest of the installed ones; empty if there is none.
fs::path find_binaries() {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", none)) {
    if (fs::exists(version.path() / "bin/initdb")) found.push_back(version.path() / "bin");
  }
  const auto number = [](const fs::path& p) { return std::atoi(p.parent_path().filename().c_str()); };
  std::ranges::sort(found, {}, number);
  return found.empty() ? fs::path() : found.back();
}

int free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  MR_ASSERT(bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0, "a free port");
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  close(fd);
  return ntohs(address.sin_port);
}

// PostgreSQL refuses to run as root; the packages bring a user for it.
const passwd* server_user() { return geteuid() == 0 ? getpwnam("postgres") : nullptr; }

// Starts a program of PostgreSQL; its output goes to `log`. It ends when this program does.
pid_t start_program(const std::vector<std::string>& command, const fs::path& log) {
  const passwd* user = server_user();
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& part : command) arguments.push_back(const_cast<char*>(part.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  MR_ASSERT(child >= 0, "fork");
  if (child > 0) return child;
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  if (user != nullptr && (setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0)) _exit(126);
  prctl(PR_SET_PDEATHSIG, SIGQUIT);
  execv(arguments[0], arguments.data());
  _exit(127);
}

void run_program(const std::vector<std::string>& command, const fs::path& log) {
  int status = 0;
  const pid_t child = start_program(command, log);
  waitpid(child, &status, 0);
  MR_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 0, command[0].c_str());
}

fs::path make_folder() {
  std::string name = (fs::temp_directory_path() / "millrace-pg-XXXXXX").string();
  MR_ASSERT(mkdtemp(name.data()) != nullptr, "a temporary folder");
  if (const passwd* user = server_user()) {
    MR_ASSERT(chown(name.c_str(), user->pw_uid, user->pw_gid) == 0, "chown to the server's user");
  }
  return name;
}

}  // namespace

TestCluster* TestCluster::shared() {
  static const std::unique_ptr<TestCluster> cluster =
      installed() ? std::make_unique<TestCluster>(std::vector<std::string>{"fsync=off"}) : nullptr;
  return cluster.get();
}

bool TestCluster::installed() { return !find_binaries().empty(); }

TestCluster::TestCluster(const std::vector<std::string>& settings)
    : folder_(make_folder()), binaries_(find_binaries()), settings_(settings), port_(free_port()) {
  run_program({binaries_ / "initdb", "--pgdata", folder_ / "data", "--username", "postgres", "--auth", "trust",
               "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync", "--data-checksums"},
              folder_ / "log");
  start();
}

TestCluster::~TestCluster() {
  if (server_ != 0) stop(Stop::immediate);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void TestCluster::start() {
  std::vector<std::string> command = {binaries_ / "postgres", "-D", folder_ / "data", "-k",
                                      folder_.string(),       "-h", "127.0.0.1",      "-p",
                                      std::to_string(port_)};
  // Small enough for several clusters at once; the rest is PostgreSQL's default.
  for (const std::string& setting : {std::string("shared_buffers=64MB"), std::string("max_connections=50")}) {
    command.insert(command.end(), {"-c", setting});
  }
  for (const std::string& setting : settings_) command.insert(command.end(), {"-c", setting});
  server_ = start_program(command, folder_ / "log");
  // The server tells nobody that it is up; its own tools poll too.
  for (int i = 0; i < 3000; ++i) {
    if (PQping(admin_url().c_str()) == PQPING_OK) return;
    MR_ASSERT(waitpid(server_, nullptr, WNOHANG) == 0, "the server ended while starting; see its log");
    std::this_thread::sleep_for(Millis(10));
  }
  MR_ASSERT(false, "the server did not start");
}

void TestCluster::stop(Stop how) {
  kill(server_, how == Stop::fast ? SIGINT : SIGQUIT);
  waitpid(server_, nullptr, 0);
  server_ = 0;
}

std::string TestCluster::url_of(const std::string& database) const {
  return fmt::format("host={} port={} user=postgres dbname={}", folder_.string(), port_, database);
}
std::string TestCluster::admin_url() const { return url_of("postgres"); }

std::string TestCluster::url_through(const std::string& url, int port) const {
  return fmt::format("{} host=127.0.0.1 port={}", url, port);
}

std::string TestCluster::create_database() {
  const std::string name = fmt::format("test_{}", ++databases_);
  run_sql(admin_url(), fmt::format("CREATE DATABASE {}", name));
  return url_of(name);
}

void TestCluster::terminate_backends(const std::string& url, const std::string& where) {
  run_sql(url, fmt::format("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                           "WHERE datname = current_database() AND pid <> pg_backend_pid() AND ({})",
                           where));
}

void run_sql(const std::string& url, const std::string& sql) {
  Connection({.url = url, .application_name = "test"}).script(sql);
}

std::string query_text(const std::string& url, const std::string& sql) {
  Connection connection({.url = url, .application_name = "test"});
  const store::postgres::Statement statement{"query", fmt::format("SELECT (SELECT ({})::text)", sql)};
  const auto rows = connection.run(statement);
  store::postgres::Row row;
  rows.read(0, row);
  return row.maybe(&store::postgres::Row::text).value_or("");
}

}  // namespace millrace::test
