// The catalog documents that intake reads. A tenant's documents live in its shard; since every node holds them
// all in one catalog, their keys begin with the tenant.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"

namespace millrace::intake {

inline constexpr std::string_view kEventTypeKind = "event-type";    // key: the code; body: registry::EventType
inline constexpr std::string_view kRuleKind = "rule";               // key: the name; body: pattern, enabled, targets …
inline constexpr std::string_view kAllowlistKind = "public-event";  // key: the event type; body: fields

// '/' stands in no tenant's name.
inline std::string document_key(const TenantId& tenant, std::string_view name) {
  std::string key = tenant.text();
  key += '/';
  key += name;
  return key;
}
inline std::string_view name_in_key(std::string_view key) { return key.substr(key.find('/') + 1); }

}  // namespace millrace::intake
