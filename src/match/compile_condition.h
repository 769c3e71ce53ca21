// One element of a pattern's array, e.g. "running" or {"prefix": "us-"}, as a Condition.
#pragma once

#include <string>

#include "base/result.h"
#include "json/value.h"
#include "match/condition.h"
#include "match/pattern.h"

namespace millrace::match {

// `where` is the place of the value in the pattern, for errors.
Result<Condition> compile_condition(json::Value value, const std::string& where, Dialect dialect);

// Whether EventBridge uses this word as an operator.
bool is_operator(std::string_view name);

// A place one key further in: "detail" and "state" make "detail.state".
std::string inside(const std::string& where, std::string_view key);

}  // namespace millrace::match
