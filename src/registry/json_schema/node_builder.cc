#include "registry/json_schema/node_builder.h"

#include <fmt/format.h>

#include <utility>

#include "registry/json_schema/uri.h"

namespace millrace::registry::json_schema {

NodeId NodeBuilder::schema(std::string_view keyword, json::Value value) {
  return schema_at(value, pointer_with("", keyword));
}

NodeId NodeBuilder::schema(std::string_view keyword, std::string_view token, json::Value value) {
  return schema_at(value, pointer_with(pointer_with("", keyword), token));
}

NodeId NodeBuilder::schema_at(json::Value value, const std::string& pointer) {
  return source_.node_for(source_.resources().inside(position_, value, pointer));
}

std::optional<Pattern> NodeBuilder::pattern(std::string_view keyword, std::string_view text) {
  auto compiled = Pattern::compile(text);
  if (!compiled) {
    refuse(keyword, fmt::format("the pattern {} cannot be used: {}", text, compiled.error().detail));
    return std::nullopt;
  }
  if (!source_.admit(*compiled)) {
    refuse(keyword, "the patterns of the schema are too many, or too large together; simplify them");
    return std::nullopt;
  }
  return *std::move(compiled);
}

void NodeBuilder::refuse(std::string_view keyword, std::string detail) {
  if (error_) return;
  error_ = Error{Errc::invalid, std::move(detail), source_.resources().place(position_, keyword)};
}

}  // namespace millrace::registry::json_schema
