// What every compiled schema can do, whatever language it is written in. Immutable after compilation: any
// thread may check with it at the same time.
#pragma once

#include <string>
#include <vector>

#include "json/value.h"

namespace millrace::registry {

struct Violation {
  std::string pointer;  // JSON Pointer into the payload; "" is the whole of it
  std::string message;

  bool operator==(const Violation&) const = default;
};

class PayloadValidator {
 public:
  virtual ~PayloadValidator() = default;
  // What in `payload` breaks the schema, at most kViolationsMax; empty means it is valid. XML travels as a
  // JSON string.
  virtual std::vector<Violation> check(json::Value payload) const = 0;
};

}  // namespace millrace::registry
