// Which keywords a schema's $schema gives meaning to. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "registry/json_schema/library.h"
#include "registry/json_schema/schema.h"

namespace millrace::registry::json_schema {

// Groups of keywords that a metaschema of 2020-12 turns on or off; draft-07 has them all.
enum class Vocabulary : std::uint8_t { core, applicator, unevaluated, validation, format, other };

struct Dialect {
  Draft draft = Draft::draft202012;
  std::uint8_t vocabularies = 0xff;  // a bit each
  bool asserts_formats = false;

  bool has(Vocabulary vocabulary) const { return (vocabularies >> static_cast<unsigned>(vocabulary) & 1u) != 0; }
};

// The dialect of a document or of an embedded schema with its own $schema; `inherited` without one. A $schema that is
// neither of the drafts must be in the library. Errc::invalid, field "/$schema", where it is neither.
Result<Dialect> dialect_of(json::Value schema, const Dialect& inherited, const Library* library);

}  // namespace millrace::registry::json_schema
