// The numbers of the types whose rows group commits send (sent_rows.h makes them). Read once a connection.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>
#include "store/postgres/connection.h"

namespace millrace::store::postgres {

// What pg_type calls the composite types of schema millrace in one database.
class RowTypes {
 public:
  // Throws SqlError.
  static RowTypes read(Connection& connection);
  // Throws WireError for a type that is not there.
  std::uint32_t number(std::string_view name) const;

 private:
  absl::flat_hash_map<std::string, std::uint32_t> numbers_;
};

}  // namespace millrace::store::postgres
