#include "postgres/read_cost.h"

#include <stdexcept>

#include "postgres/samples.h"
#include "postgres/test_cluster.h"

namespace millrace::test {

void ReadCost::await_end_of(const std::string& backends) const {
  await_sql(url_, "SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = current_database() AND " + backends);
}

int ReadCost::blocks_read() const {
  return std::stoi(query_text(url_,
                              "SELECT sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read) "
                              "FROM pg_statio_user_tables WHERE relname IN (" +
                                  tables_ + ")"));
}

std::string ReadCost::backend_of(const std::function<void()>& work) const {
  const std::string before = query_text(url_, "SELECT clock_timestamp()");
  work();
  return query_text(url_,
                    "SELECT max(pid) FROM pg_stat_activity WHERE datname = current_database() AND "
                    "application_name LIKE 'millrace %' AND query_start > '" +
                        before + "'");
}

int ReadCost::blocks(std::unique_ptr<store::Store> reader, const std::function<void(store::Store&)>& read) const {
  const int before = blocks_read();
  const std::string pid = backend_of([&] { read(*reader); });
  if (pid.empty()) throw std::runtime_error("the read did not reach PostgreSQL");
  reader.reset();
  await_end_of("pid = " + pid);
  return blocks_read() - before;
}

}  // namespace millrace::test
