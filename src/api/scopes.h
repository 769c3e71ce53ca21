// What a key allows. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::api {

inline constexpr std::string_view kEventsWrite = "events:write";
inline constexpr std::string_view kEventsRead = "events:read";
inline constexpr std::string_view kQueueWork = "queue:work";
inline constexpr std::string_view kAdmin = "admin";        // everything in its tenant
inline constexpr std::string_view kOperator = "operator";  // everything, in all tenants

// A set of them.
class Scopes {
 public:
  static Scopes all();
  // False for a name that is none of the five.
  bool add(std::string_view name);
  // Whether what needs `name` may be done: admin covers the three below it, operator covers all.
  bool allow(std::string_view name) const;
  bool empty() const { return bits_ == 0; }
  // As they were given, in a fixed order.
  std::vector<std::string_view> names() const;
  bool operator==(const Scopes&) const = default;

 private:
  std::uint8_t bits_ = 0;
};

}  // namespace millrace::api
