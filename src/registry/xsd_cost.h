// How much work an XSD schema would make for libxml2, which bounds nothing itself: it copies groups, attribute groups
// and unions into whoever names them, so a few lines can stand for billions, and it recurses along references.
// Pure: what a schema defines comes in as plain data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace millrace::registry {

struct XsdDefinition {
  std::uint64_t parts = 0;             // elements, attributes, wildcards, members of unions
  std::vector<std::string> uses = {};  // names of the definitions whose parts are also its own, once for each time
};

// By names that tell the kinds apart: "group address", "type address".
using XsdDefinitions = std::map<std::string, XsdDefinition>;

// Why a schema of these definitions is refused; nothing if it may be compiled.
std::optional<std::string> find_excess(const XsdDefinitions& definitions);

}  // namespace millrace::registry
