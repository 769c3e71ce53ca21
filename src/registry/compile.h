// From the text of a schema, in whichever language, to what can check payloads and be compared.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "registry/compatibility.h"
#include "registry/event_type.h"
#include "registry/validator.h"

namespace millrace::registry {

// Errc::invalid on field "schema" with the reason where the text does not compile. A JSON Schema
// without $schema is read as draft-07, unless it uses words that only 2020-12 has; `format` is asserted, and
// the default of a required property stands in for it.
Result<std::shared_ptr<const PayloadValidator>> compile_schema(SchemaType type, std::string_view text,
                                                               std::string_view proto_message = {});
Result<std::shared_ptr<const PayloadValidator>> compile_schema(const SpecVersion& spec);

// What changed from one version to another. Another language of the schema is a breaking change of its own.
// Errc::invalid if one of them does not compile.
Result<Comparison> compare_schemas(const SpecVersion& old_spec, const SpecVersion& new_spec);

}  // namespace millrace::registry
