#include "registry/lint.h"

#include <set>

#include "registry/type_code.h"

namespace millrace::registry {

std::vector<LintFinding> lint_events(std::span<const SchemaFile> files, Convention convention) {
  std::vector<LintFinding> findings;
  std::set<std::string> told;
  const SchemaFolder folder = read_schema_folder(files);
  auto problem = folder.problems.begin();
  for (const SchemaFile& file : files) {
    const auto name = split_schema_file_name(file.name);
    const auto bad = name ? check_name(name->type, convention) : std::nullopt;
    if (bad && told.insert(name->type).second) {
      findings.push_back({file.name, std::string(to_text(bad->rule)), bad->message, bad->suggestion});
    }
    // That a bad name cannot be registered is said with the better name already.
    const bool said = bad && !parse_code(name->type);
    // Problems stand in the order of the files.
    for (; problem != folder.problems.end() && problem->file == file.name; ++problem) {
      if (!said) findings.push_back({file.name, "schema", problem->message});
    }
  }
  return findings;
}

}  // namespace millrace::registry
