// What `millrace lint events` has to say about a folder of schemas: names against the convention, and whatever
// keeps a schema from being loaded (S2.3). Data; printing is the command's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "registry/folder.h"
#include "registry/naming.h"

namespace millrace::registry {

struct LintFinding {
  std::string file;
  std::string rule;  // of naming.h, or "schema"
  std::string message;
  std::string suggestion = {};  // a better name, where there is one

  bool operator==(const LintFinding&) const = default;
};

// In the order of the files, the name of each before its schema. A type is told once, however many versions it has.
std::vector<LintFinding> lint_events(std::span<const SchemaFile> files, Convention convention);

}  // namespace millrace::registry
