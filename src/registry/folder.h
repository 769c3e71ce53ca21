// A folder of schemas, one file a version: `<type>.v<N>.json` (S2.4). Pure: someone else reads the files. Such a
// schema describes the whole envelope, and version N is N.0 of the type.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "registry/compatibility.h"
#include "registry/event_type.h"

namespace millrace::registry {

struct SchemaFile {
  std::string name;  // without the folder
  std::string text;
};

struct FileProblem {
  std::string file;
  std::string message;

  bool operator==(const FileProblem&) const = default;
};

struct SchemaFileName {
  std::string type;
  std::uint32_t version = 1;

  bool operator==(const SchemaFileName&) const = default;
};

// Whether a file of this name is meant to be a schema; others (a README) are no concern of the folder.
bool is_schema_file(std::string_view name);

// "time_entry.created.v1.json", whatever the type is called. Errc::invalid with what is wrong with the name.
Result<SchemaFileName> split_schema_file_name(std::string_view name);
// The same, and the type must be a code that can be registered.
Result<SchemaFileName> parse_schema_file_name(std::string_view name);
std::string schema_file_name(std::string_view type, std::uint32_t version);

struct SchemaFolder {
  std::vector<EventType> types;       // by code; every version CURRENT
  std::vector<FileProblem> problems;  // in the order of the files; their schemas are not in `types`
};

// Everything that is wrong is listed, not only the first. Checked are the name, that the schema compiles, and that
// what it says of event_type and schema_version is what its name says.
SchemaFolder read_schema_folder(std::span<const SchemaFile> files);

// One file's change between two states of the folder.
struct FileComparison {
  std::string file;
  Comparison comparison;
};

// `millrace schema check`: files with changes, by name. A file that is gone breaks; a file of a new version may
// differ from the one before it as it likes. REQUIRES: both were read without problems.
std::vector<FileComparison> compare_folders(const SchemaFolder& old_folder, const SchemaFolder& new_folder);

}  // namespace millrace::registry
