// The query parameters of a request with their types and bounds. What does not fit is Errc::bad_query with the
// parameter's name. An empty parameter counts as absent. A view; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace millrace::api {

class Query {
 public:
  using Parameter = std::pair<std::string, std::string>;
  explicit Query(std::span<const Parameter> parameters) : parameters_(parameters) {}

  // Refuses a parameter that is none of `known`: a misspelt filter would list everything. The names are separated by
  // blanks; "context.*" stands for every name that begins so, "*" for any.
  Result<void> refuse_unknown(std::string_view known) const;

  // Whether it is given, be it empty.
  bool has(std::string_view name) const;
  // Refuses a parameter that is given twice, longer than bytes_max or with U+0000.
  Result<std::optional<std::string>> text(std::string_view name, std::size_t bytes_max) const;
  Result<std::string> required_text(std::string_view name, std::size_t bytes_max) const;
  // Decimal digits only; bounds included.
  Result<std::optional<std::uint64_t>> number(std::string_view name, std::uint64_t min, std::uint64_t max) const;
  // "true", "1", "false" or "0".
  Result<std::optional<bool>> boolean(std::string_view name) const;
  // RFC 3339, or epoch milliseconds.
  Result<std::optional<Time>> time(std::string_view name) const;
  // Comma separated tags; empty where there are none.
  Result<std::vector<std::string>> tags(std::string_view name) const;

 private:
  std::span<const Parameter> parameters_;
};

}  // namespace millrace::api
