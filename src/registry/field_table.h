// The fields that a schema describes, as rows for a reader.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "registry/event_type.h"

namespace millrace::registry {

struct FieldRow {
  std::string path;  // "data.lines[].sku"
  std::string type;  // "string (uuid)", "array of object", "\"a\" or \"b\""
  bool required = false;
  std::string description = {};
};

// A longer table is cut: recursive schemas have no end.
inline constexpr std::size_t kFieldRowsMax = 500;

// In the order of the schema. Errc::invalid where it does not compile.
Result<std::vector<FieldRow>> field_rows(const SpecVersion& spec);

}  // namespace millrace::registry
