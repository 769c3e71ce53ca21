// The rows of one statement of a group commit.
#pragma once

#include <vector>

#include "store/postgres/connection.h"
#include "store/postgres/row_types.h"
#include "store/postgres/wire.h"

namespace millrace::store::postgres {

// In portions that PostgreSQL takes as one message each. Form: Columns or Records.
template <class Form>
class PortionsOf {
 public:
  template <class... V>
  void add(const V&... values) {
    if (portions_.empty() || portions_.back().bytes() > kPortionBytes) portions_.emplace_back();
    portions_.back().add(values...);
  }

 protected:
  std::vector<Form> portions_;

 private:
  // A message holds at most 1 GB; this also bounds what PostgreSQL has to keep of one.
  static constexpr std::size_t kPortionBytes = std::size_t{16} << 20;
};

// An array a column: for what a group seldom holds.
class Portions : public PortionsOf<Columns> {
 public:
  explicit Portions(const Statement& statement) : statement_(statement) {}
  void send(Pipeline& pipeline, const RowTypes&) {
    for (Columns& portion : portions_) pipeline.add(statement_, Params().add(portion));
  }

 private:
  const Statement& statement_;
};

// An array of rows of type millrace.`row_type`: for what most groups hold.
class RowPortions : public PortionsOf<Records> {
 public:
  RowPortions(const Statement& statement, const char* row_type) : statement_(statement), row_type_(row_type) {}
  void send(Pipeline& pipeline, const RowTypes& types) {
    for (Records& portion : portions_) {
      pipeline.add(statement_, Params().add(portion.array(types.number(row_type_))));
    }
  }

 private:
  const Statement& statement_;
  const char* row_type_;
};

}  // namespace millrace::store::postgres
