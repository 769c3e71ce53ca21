// What a read costs: the blocks of some tables that its connection touches.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "store/store.h"

namespace millrace::test {

class ReadCost {
 public:
  // `tables` as SQL: "'item_state', 'item_body'".
  ReadCost(std::string url, std::string tables) : url_(std::move(url)), tables_(std::move(tables)) {}

  // Of one call of `read`. The reader goes with it: a connection hands in its statistics when it ends.
  int blocks(std::unique_ptr<store::Store> reader, const std::function<void(store::Store&)>& read) const;
  // Waits until the connections whose pg_stat_activity rows satisfy it have ended.
  void await_end_of(const std::string& backends) const;

 private:
  int blocks_read() const;
  // The backend of the connection that last ran `work`.
  std::string backend_of(const std::function<void()>& work) const;

  std::string url_;
  std::string tables_;
};

}  // namespace millrace::test
