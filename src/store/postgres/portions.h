// The rows of one statement of a group commit.
#pragma once

#include <vector>

#include "store/postgres/connection.h"
#include "store/postgres/wire.h"

namespace millrace::store::postgres {

// In portions that PostgreSQL takes as one message each.
class Portions {
 public:
  explicit Portions(const Statement& statement) : statement_(statement) {}

  template <class... V>
  void add(const V&... values) {
    if (portions_.empty() || portions_.back().bytes() > kPortionBytes) portions_.emplace_back();
    portions_.back().add(values...);
  }
  void send(Pipeline& pipeline) {
    for (Columns& portion : portions_) pipeline.add(statement_, Params().add(portion));
  }

 private:
  // A message holds at most 1 GB; this also bounds what PostgreSQL has to keep of one.
  static constexpr std::size_t kPortionBytes = std::size_t{16} << 20;

  const Statement& statement_;
  std::vector<Columns> portions_;
};

}  // namespace millrace::store::postgres
