// What a PROTO schema says, as plain data: enough to compare two of them without the library that parsed them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "json/value.h"
#include "registry/compatibility.h"
#include "registry/validator.h"

namespace millrace::registry {

struct ProtoField {
  std::string name;       // as JSON has it: lowerCamelCase, or its json_name
  std::string text_name;  // as the schema has it, which JSON may use too
  std::int32_t number = 0;
  std::string label;       // "optional", "required", "repeated" or "map"
  std::string type;        // "int32", "string", … or "message", "enum"
  std::string of = {};     // full name of the message or the enum
  std::string oneof = {};  // the group of which one field at most may be set; empty = none
};

struct ProtoShape {
  std::string root;  // full name of the message that payloads are checked against
  std::map<std::string, std::vector<ProtoField>> messages;
  std::map<std::string, std::map<std::string, std::int32_t>> enums;
};

// What in the payload does not have the shape: unknown fields, other kinds of values, two fields of a oneof. What
// strings say (dates, base64, numbers) is not looked at. At most kViolationsMax.
std::vector<Violation> check_shape(const ProtoShape& shape, json::Value payload);

// Why `payload`, which has one field, is no JSON of the message; empty where it is.
using ProtoJudge = std::function<std::string(const std::string& message, const std::string& payload)>;
// The same, and what `judge` finds in single values that have the shape: dates, base64, numbers in strings. It is asked
// a bounded number of times, and not about messages with required fields, which one field alone would lack.
std::vector<Violation> check_values(const ProtoShape& shape, json::Value payload, const ProtoJudge& judge);

// By the same table as for JSON Schemas: payloads travel as JSON, so names count as much as numbers.
Comparison compare_proto(const ProtoShape& old_shape, const ProtoShape& new_shape);

}  // namespace millrace::registry
