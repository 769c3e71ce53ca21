// What a violation says and where it stands. Pure; only for values that do not fit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "registry/json_schema/program.h"

namespace millrace::registry::json_schema {

// JSON pointer from `root` to `value`; to the object if `value` is one of its keys. REQUIRES: same Document.
std::string pointer_to(json::Value value, json::Value root);
std::string schema_place(std::string_view place, std::string_view keyword);

// The value's source, cut where it is long.
std::string excerpt(json::Value value);
std::string quoted(std::string_view text);

std::string type_message(std::uint8_t types, json::Value value);
std::string enum_message(const std::vector<json::Value>& allowed, json::Value value);
std::string count_message(const Counts& counts, std::uint64_t count, std::string_view one, std::string_view many);

}  // namespace millrace::registry::json_schema
