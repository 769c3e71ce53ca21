// Reads many fields in a row and keeps the first refusal, so that a reader of twelve fields is twelve lines.
#pragma once

#include <expected>
#include <optional>
#include <utility>

#include "base/result.h"

namespace millrace::api {

class FirstError {
 public:
  // The value, or an empty one if it was refused; ask failed() before using what came of it.
  template <class T>
  T take(Result<T> result) {
    if (result) return *std::move(result);
    refuse(std::move(result.error()));
    return T{};
  }
  void check(Result<void> result) {
    if (!result) refuse(std::move(result.error()));
  }
  void refuse(Error error) {
    if (!error_) error_ = std::move(error);
  }

  bool failed() const { return error_.has_value(); }
  // REQUIRES: failed().
  std::unexpected<Error> give() { return std::unexpected(*std::move(error_)); }

 private:
  std::optional<Error> error_;
};

}  // namespace millrace::api
