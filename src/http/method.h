// The request methods that endpoints can be written for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace millrace::http {

// `other` is any well-formed method that no endpoint can have; it ends as 404 or 405.
enum class Method : std::uint8_t { get, head, post, put, patch, delete_, options, other };

inline constexpr std::array<std::string_view, 8> kMethodNames = {"GET",   "HEAD",   "POST",    "PUT",
                                                                 "PATCH", "DELETE", "OPTIONS", "OTHER"};

constexpr std::string_view to_text(Method method) { return kMethodNames[static_cast<std::size_t>(method)]; }

// Methods are case-sensitive: "get" is `other`.
constexpr Method parse_method(std::string_view text) {
  for (std::size_t i = 0; i + 1 < kMethodNames.size(); ++i) {
    if (kMethodNames[i] == text) return static_cast<Method>(i);
  }
  return Method::other;
}

}  // namespace millrace::http
