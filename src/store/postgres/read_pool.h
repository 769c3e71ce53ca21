// Connections for reading, lent out one at a time; any thread. They are made when needed and thrown away
// once the server went away.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "store/postgres/connection.h"

namespace millrace::store::postgres {

class ReadPool {
 public:
  // Connections are read-only unless the target has settings of its own.
  ReadPool(Connection::Target target, std::size_t connections_max);

  // What `query(Connection&)` returns. It is asked again on a new connection if the server closed the
  // first one meanwhile, so it must be free of side effects. Throws StoreError: not_done if the server
  // does not answer, broken if what it answers makes no sense.
  template <class Query>
  auto read(Query query) {
    for (int tried = 1;; ++tried) {
      try {
        Loan loan(*this);
        auto answer = query(loan.connection());
        loan.keep();
        return answer;
      } catch (const SqlError& error) {
        give_up_unless_worth_another_try(error, tried);
      } catch (const WireError& error) {
        say_broken(error.what());
      }
    }
  }

 private:
  // A connection that is not kept was in an unknown state when it came back.
  class Loan {
   public:
    explicit Loan(ReadPool& pool) : pool_(pool), connection_(pool.take()) {}
    ~Loan() { pool_.give_back(std::move(connection_), keep_); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Connection& connection() { return *connection_; }
    void keep() { keep_ = true; }

   private:
    ReadPool& pool_;
    std::unique_ptr<Connection> connection_;
    bool keep_ = false;
  };

  std::unique_ptr<Connection> take();
  void give_back(std::unique_ptr<Connection> connection, bool keep);
  void give_up_unless_worth_another_try(const SqlError& error, int tried);
  [[noreturn]] static void say_broken(const char* why);

  Connection::Target target_;
  std::size_t connections_max_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::size_t lent_ = 0;
};

}  // namespace millrace::store::postgres
