#include "registry/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "json/parse.h"
#include "registry/bounds.h"
#include "registry/compile.h"
#include "registry/type_code.h"

namespace millrace::registry {
namespace {

using json::Value;

constexpr std::string_view kExtension = ".json";

std::unexpected<Error> refuse(std::string detail) { return fail(Errc::invalid, std::move(detail), "file"); }

// What the schema's property `name` must be, where it says so by const.
std::optional<Value> constant_of(Value schema, std::string_view name) {
  const auto properties = schema.find("properties");
  const auto property = properties ? properties->find(name) : std::nullopt;
  return property ? property->find("const") : std::nullopt;
}

// Where the schema contradicts its file name; empty if nowhere.
std::string contradiction(Value schema, const SchemaFileName& name) {
  const auto type = constant_of(schema, "event_type");
  if (type && !(type->is(json::Kind::string) && type->equals(name.type))) {
    return fmt::format("event_type is {} in the schema, but {} in the file name", type->raw(), name.type);
  }
  const auto version = constant_of(schema, "schema_version");
  if (version && version->as_int64() != name.version) {
    return fmt::format("schema_version is {} in the schema, but {} in the file name", version->raw(), name.version);
  }
  return {};
}

Result<SpecVersion> read_file(const SchemaFile& file, const SchemaFileName& name) {
  SpecVersion spec{.version = {name.version, 0},
                   .mime_type = "application/json",
                   .schema = file.text,
                   .status = VersionStatus::current,
                   .describes = Describes::envelope};
  if (const auto compiled = compile_schema(spec); !compiled) return std::unexpected(compiled.error());
  const auto document = json::parse(std::string_view(spec.schema));
  if (std::string problem = contradiction(document->root(), name); !problem.empty()) return refuse(std::move(problem));
  return spec;
}

// What the schema calls itself and says of itself, for the type's own fields.
std::string text_member(const SpecVersion& spec, std::string_view keyword) {
  const auto document = json::parse(std::string_view(spec.schema));
  const auto value = document ? document->root().find(keyword) : std::nullopt;
  return value && value->is(json::Kind::string) ? value->get_string() : std::string();
}

EventType make_type(const std::string& code, std::map<std::uint32_t, SpecVersion> versions) {
  EventType type{.code = code, .name = code};
  for (auto& [number, spec] : versions) type.spec_versions.push_back(std::move(spec));
  type.description = text_member(type.spec_versions.back(), "description");
  if (std::string title = text_member(type.spec_versions.back(), "title"); !title.empty()) type.name = std::move(title);
  return type;
}

using Versions = std::map<std::string, const SpecVersion*>;  // by file name

Versions versions_of(const SchemaFolder& folder) {
  Versions versions;
  for (const EventType& type : folder.types) {
    for (const SpecVersion& spec : type.spec_versions) {
      versions.emplace(schema_file_name(type.code, spec.version.major), &spec);
    }
  }
  return versions;
}

}  // namespace

bool is_schema_file(std::string_view name) { return name.ends_with(kExtension) && !name.starts_with('.'); }

Result<SchemaFileName> split_schema_file_name(std::string_view name) {
  constexpr std::string_view kForm = "is not named <type>.v<N>.json";
  if (!is_schema_file(name)) return refuse(std::string(kForm));
  name.remove_suffix(kExtension.size());
  const std::size_t mark = name.rfind(".v");
  if (mark == name.npos) return refuse(std::string(kForm));
  const std::string_view digits = name.substr(mark + 2);
  const auto version = parse_event_schema_version(digits);
  if (!version || digits.find('.') != digits.npos) {
    return refuse(fmt::format("has \"{}\" for a version, which is not a number from 1 to 999999", digits));
  }
  return SchemaFileName{std::string(name.substr(0, mark)), version->major};
}

Result<SchemaFileName> parse_schema_file_name(std::string_view name) {
  auto split = split_schema_file_name(name);
  if (!split) return split;
  if (const auto form = parse_code(split->type); !form) return refuse(form.error().detail);
  return split;
}

std::string schema_file_name(std::string_view type, std::uint32_t version) {
  return fmt::format("{}.v{}{}", type, version, kExtension);
}

SchemaFolder read_schema_folder(std::span<const SchemaFile> files) {
  SchemaFolder folder;
  std::map<std::string, std::map<std::uint32_t, SpecVersion>> found;
  for (const SchemaFile& file : files) {
    if (!is_schema_file(file.name)) continue;
    const auto name = parse_schema_file_name(file.name);
    if (!name) {
      folder.problems.push_back({file.name, name.error().detail});
      continue;
    }
    auto spec = read_file(file, *name);
    if (!spec) {
      folder.problems.push_back({file.name, spec.error().detail});
    } else if (!found[name->type].emplace(name->version, std::move(*spec)).second) {
      folder.problems.push_back({file.name, fmt::format("version {} of {} is there twice", name->version, name->type)});
    }
  }
  for (auto& [code, versions] : found) folder.types.push_back(make_type(code, std::move(versions)));
  return folder;
}

std::vector<FileComparison> compare_folders(const SchemaFolder& old_folder, const SchemaFolder& new_folder) {
  std::vector<FileComparison> out;
  const Versions after = versions_of(new_folder);
  for (const auto& [file, was] : versions_of(old_folder)) {
    const auto is = after.find(file);
    if (is == after.end()) {
      out.push_back({file, {{{"", ChangeKind::schema_removed, true, "the schema was removed"}}}});
      continue;
    }
    auto comparison = compare_schemas(*was, *is->second);
    if (!comparison) {
      out.push_back({file, {{{"", ChangeKind::unclear, true, comparison.error().detail}}}});
    } else if (!comparison->changes.empty()) {
      out.push_back({file, std::move(*comparison)});
    }
  }
  return out;
}

}  // namespace millrace::registry
