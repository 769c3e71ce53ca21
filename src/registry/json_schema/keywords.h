// The keywords that say something about a value, each with the function that compiles it.
#pragma once

#include <string_view>

#include "json/value.h"
#include "registry/json_schema/dialect.h"
#include "registry/json_schema/node_builder.h"

namespace millrace::registry::json_schema {

using CompileKeyword = void (*)(NodeBuilder& builder, std::string_view keyword, json::Value value);

// nullptr for keywords without a meaning in the dialect: comments, annotations, the unknown.
CompileKeyword find_keyword(std::string_view name, const Dialect& dialect);

// $ref and $dynamicRef.
void compile_ref(NodeBuilder& builder, std::string_view keyword, json::Value value);
void compile_dynamic_ref(NodeBuilder& builder, std::string_view keyword, json::Value value);

}  // namespace millrace::registry::json_schema
