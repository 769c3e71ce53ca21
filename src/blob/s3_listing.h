// The answer of ListObjectsV2. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace millrace::blob {

struct S3Listing {
  struct Object {
    std::string key;
    Time written{};
  };
  std::vector<Object> objects;
  bool truncated = false;
};

// Nullopt for what is no such answer.
std::optional<S3Listing> parse_s3_listing(std::string_view xml);

}  // namespace millrace::blob
