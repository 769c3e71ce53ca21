// Bounds of what the registry takes in. They keep one tenant's schema from costing the others time or memory.
#pragma once

#include <cstddef>

namespace millrace::registry {

inline constexpr std::size_t kCodeBytesMax = 255;
inline constexpr std::size_t kNameBytesMax = 200;
inline constexpr std::size_t kDescriptionBytesMax = 16 * 1024;
inline constexpr std::size_t kMimeTypeBytesMax = 200;
// The largest public schemas (FHIR, CloudFormation parts) stay below it.
inline constexpr std::size_t kSchemaBytesMax = 512 * 1024;
inline constexpr std::size_t kSpecVersionsMax = 100;
// A person mends a few violations at a time; more only make the answer long.
inline constexpr std::size_t kViolationsMax = 50;
inline constexpr std::size_t kAllowedFieldsMax = 200;
inline constexpr std::size_t kFieldPathBytesMax = 500;

}  // namespace millrace::registry
