#include "store/postgres/row_types.h"

#include <fmt/format.h>

namespace millrace::store::postgres {
namespace {

const Statement kRowTypes = {"row_types", R"sql(
SELECT typname::text, oid::bigint FROM pg_type
WHERE typnamespace = 'millrace'::regnamespace AND typname LIKE 'sent\_%')sql"};

}  // namespace

RowTypes RowTypes::read(Connection& connection) {
  RowTypes types;
  const Rows rows = connection.run(kRowTypes);
  Row row;
  for (int i = 0; i < rows.size(); ++i) {
    rows.read(i, row);
    std::string name = row.text();
    types.numbers_.emplace(std::move(name), static_cast<std::uint32_t>(row.i64()));
  }
  return types;
}

std::uint32_t RowTypes::number(std::string_view name) const {
  const auto found = numbers_.find(absl::string_view(name.data(), name.size()));
  if (found == numbers_.end()) throw WireError(fmt::format("type millrace.{} is missing", name));
  return found->second;
}

}  // namespace millrace::store::postgres
