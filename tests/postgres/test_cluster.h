// A real PostgreSQL server for tests: its own data folder under $TMPDIR, its own port. It ends with the
// program and takes its folder along.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/postgres/connection.h"

namespace millrace::test {

class TestCluster {
 public:
  // One for all tests of a program that ask what the store means, not what survives: it does not sync. Null
  // if no PostgreSQL is installed. Aborts if it is and does not start.
  static TestCluster* shared();
  static bool installed();

  // As PostgreSQL comes, synced, but for `settings`: "fsync=off".
  explicit TestCluster(const std::vector<std::string>& settings = {});
  ~TestCluster();
  TestCluster(const TestCluster&) = delete;
  TestCluster& operator=(const TestCluster&) = delete;

  // A new, empty database; returns its URL.
  std::string create_database();
  // The same database over TCP through another port of this machine.
  std::string url_through(const std::string& url, int port) const;
  int port() const { return port_; }

  void start();
  enum class Stop { fast, immediate };
  void stop(Stop how);

  // Ends the connections of a database, all or those whose pg_stat_activity row satisfies `where`.
  void terminate_backends(const std::string& url, const std::string& where = "true");

 private:
  std::string admin_url() const;
  std::string url_of(const std::string& database) const;

  std::filesystem::path folder_;
  std::filesystem::path binaries_;
  std::vector<std::string> settings_;
  int port_ = 0;
  pid_t server_ = 0;
  int databases_ = 0;
};

// Runs SQL text on its own connection.
void run_sql(const std::string& url, const std::string& sql);
// The single value of a query, as text; "" for NULL or no row.
std::string query_text(const std::string& url, const std::string& sql);

}  // namespace millrace::test
