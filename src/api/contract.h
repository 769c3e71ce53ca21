// The wire contract, api/openapi.yaml, as this program carries it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace millrace::api {

// As committed.
std::string_view contract_yaml();
// As GET /openapi.json serves it.
const std::string& contract_json();

// YAML as JSON text, for the part of YAML that the contract is written in: block mappings and sequences indented
// by two spaces, comments on lines of their own, and values that are plain words or JSON (so flow collections
// quote their keys and strings). Errc::malformed names the line.
Result<std::string> yaml_to_json(std::string_view yaml);

}  // namespace millrace::api
