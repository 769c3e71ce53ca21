// The target of a request, put together from a path and query parameters. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace millrace::cli {

// Everything but letters, digits and "-._~" as %XX.
std::string percent_encoded(std::string_view text);

class TargetText {
 public:
  // REQUIRES: the path needs no encoding; see segment().
  explicit TargetText(std::string path) : text_(std::move(path)) {}

  // One more "/segment" of the path. REQUIRES: no parameter yet.
  TargetText& segment(std::string_view text);
  TargetText& with(std::string_view name, std::string_view value);
  TargetText& with(std::string_view name, std::uint64_t value) { return with(name, std::to_string(value)); }
  // Nothing where the value is absent.
  template <class T>
  TargetText& with_if(std::string_view name, const std::optional<T>& value) {
    return value ? with(name, *value) : *this;
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool has_query_ = false;
};

}  // namespace millrace::cli
