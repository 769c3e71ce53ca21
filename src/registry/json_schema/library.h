// Documents that schemas may refer to by URI. Filled once, then shared and only read: by any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "registry/json_schema/text_map.h"

namespace millrace::registry::json_schema {

using SharedDocument = std::shared_ptr<const json::Document>;

class Library {
 public:
  // `uri` without fragment. Errc::malformed for what is no JSON; whether it is a schema shows when it is used.
  // A document that is there under this URI is replaced.
  Result<void> add(std::string_view uri, std::string text);
  // nullptr if nothing is known under this URI.
  SharedDocument find(std::string_view uri) const;

 private:
  TextMap<SharedDocument> documents_;
};

}  // namespace millrace::registry::json_schema
