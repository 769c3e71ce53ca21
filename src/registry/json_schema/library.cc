#include "registry/json_schema/library.h"

#include <utility>

#include "json/parse.h"
#include "registry/json_schema/uri.h"

namespace millrace::registry::json_schema {

Result<void> Library::add(std::string_view uri, std::string text) {
  auto document = json::parse_owned(std::move(text));
  if (!document) return std::unexpected(json::to_error(document.error()));
  documents_[split_fragment(uri).document] = std::make_shared<const json::Document>(*std::move(document));
  return {};
}

SharedDocument Library::find(std::string_view uri) const {
  const auto found = documents_.find(uri);
  return found == documents_.end() ? nullptr : found->second;
}

}  // namespace millrace::registry::json_schema
