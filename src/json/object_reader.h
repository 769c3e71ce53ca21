// Reads the fields of one JSON object with their types and bounds. What does not fit is Errc::invalid with
// the path of the field ("items[3].title") and a detail that says what is expected and what was seen. A
// view: the Document must outlive it. Fields that are not asked for are ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "json/value.h"

namespace millrace::json {

class ObjectReader {
 public:
  // Errc::invalid if `value` is no object. `path` is where it stands: "" for the body itself.
  static Result<ObjectReader> open(Value value, std::string path = {});

  // A required field must be there and not null; an optional one may be absent or null. Strings are refused
  // when longer than bytes_max (in UTF-8) or with U+0000, which PostgreSQL cannot store.
  Result<std::string> required_string(std::string_view key, std::size_t bytes_max) const;
  Result<std::optional<std::string>> optional_string(std::string_view key, std::size_t bytes_max) const;
  // Integers by value: 100.0 and 1e2 count. Bounds included.
  Result<std::int64_t> required_int(std::string_view key, std::int64_t min, std::int64_t max) const;
  Result<std::optional<std::int64_t>> optional_int(std::string_view key, std::int64_t min, std::int64_t max) const;
  Result<bool> required_bool(std::string_view key) const;
  Result<std::optional<bool>> optional_bool(std::string_view key) const;
  // RFC 3339, as base/time.h reads it.
  Result<Time> required_time(std::string_view key) const;
  Result<std::optional<Time>> optional_time(std::string_view key) const;

  Result<Value> required_array(std::string_view key, std::size_t count_max) const;
  Result<std::optional<Value>> optional_array(std::string_view key, std::size_t count_max) const;
  Result<std::optional<ObjectReader>> optional_object(std::string_view key) const;
  // An array of strings, each bounded as in required_string().
  Result<std::optional<std::vector<std::string>>> optional_strings(std::string_view key, std::size_t count_max,
                                                                   std::size_t bytes_max) const;
  // A value of any kind. Here null is a value: a payload may be null.
  Result<Value> required_value(std::string_view key) const;
  std::optional<Value> optional_value(std::string_view key) const { return object_.find(key); }

  Value object() const { return object_; }
  // Where a field stands, for errors of checks made elsewhere.
  std::string path_of(std::string_view key) const;
  // Keys that are none of these, in source order.
  std::vector<std::string> unknown_keys(std::initializer_list<std::string_view> known) const;

 private:
  ObjectReader(Value object, std::string path) : object_(object), path_(std::move(path)) {}
  template <class T, class Read>
  Result<T> required(std::string_view key, Read read) const;
  template <class T, class Read>
  Result<std::optional<T>> optional(std::string_view key, Read read) const;

  Value object_;
  std::string path_;
};

// "items" and 3 make "items[3]".
std::string element_path(std::string_view array_path, std::size_t index);

}  // namespace millrace::json
