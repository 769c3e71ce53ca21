// The formats of JSON Schema as predicates on text. Pure; any thread.
#pragma once

#include <string_view>

namespace millrace::registry::json_schema {

struct Format {
  std::string_view name;
  bool (*fits)(std::string_view text);
};

// nullptr for formats that are not known; idn-hostname is one of them (it needs tables of IDNA).
const Format* find_format(std::string_view name);

}  // namespace millrace::registry::json_schema
