// Schemas as files: a folder, or a folder in a revision of git. What they mean is for registry/folder.h.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "registry/folder.h"

namespace millrace::cli {

// The schema files of the folder and of its subfolder `events`, by name; other files are left out. Links to folders
// are not followed. Throws Failure{usage} where it is no folder or cannot be read.
std::vector<registry::SchemaFile> read_schema_files(const std::string& folder);
// The same, with a line on `err` that names the subfolders which are not read.
std::vector<registry::SchemaFile> read_schema_files(const std::string& folder, std::ostream& err);

// `place` is a folder or REV:PATH, as `git show` understands it; a folder of that name wins. Throws
// Failure{usage} with git's own words where it knows neither.
std::vector<registry::SchemaFile> read_schema_files_at(const std::string& place, std::ostream& err);

// In pieces that one `POST /api/schemas` takes. REQUIRES: `files` outlives them.
std::vector<std::span<const registry::SchemaFile>> in_requests(std::span<const registry::SchemaFile> files);

// The body of that request.
std::string push_body(std::span<const registry::SchemaFile> files);

}  // namespace millrace::cli
