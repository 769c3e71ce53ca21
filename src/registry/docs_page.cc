#include "registry/docs_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "json/parse.h"
#include "registry/compile.h"
#include "registry/field_table.h"
#include "registry/json_example.h"

namespace millrace::registry {
namespace {

// Text of a schema inside a paragraph or a cell of a table: one line, no markup.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == '\t') {
      out += ' ';
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '|' || c == '`' || c == '*' || c == '_' || c == '[') {
      out.append("\\").push_back(c);
    } else {
      out += c;
    }
  }
  return out;
}

// As code in a cell: backticks end it, and bars end the cell even there.
std::string code(std::string_view text) {
  std::string out = "`";
  for (const char c : text) {
    if (c == '|') out += '\\';
    if (c != '`' && c != '\n' && c != '\r') out += c;
  }
  return out + "`";
}

// Paragraphs stay paragraphs.
std::string prose(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find("\n\n");
    out += plain(text.substr(0, end)) + "\n";
    if (end == text.npos) break;
    out += "\n";
    text.remove_prefix(end + 2);
  }
  return out;
}

void append_purpose(std::string& out, const EventType& type) {
  out += "## Purpose\n\n";
  if (!type.name.empty() && type.name != type.code) out += fmt::format("{}.\n\n", plain(type.name));
  out += type.description.empty() ? "Nobody has described this type yet.\n" : prose(type.description);
  if (type.status == TypeStatus::archive) out += "\nThis type is archived.\n";
  if (type.strict) out += "\nEvents of other versions than those below are refused.\n";
}

void append_fields(std::string& out, const SpecVersion& spec) {
  const auto rows = field_rows(spec);
  if (!rows) {
    out += fmt::format("The schema does not compile: {}\n", plain(rows.error().detail));
    return;
  }
  if (rows->empty()) {
    out += "The schema names no fields.\n";
    return;
  }
  out += "| Field | Type | Required | Description |\n|---|---|---|---|\n";
  for (const FieldRow& row : *rows) {
    out += fmt::format("| {} | {} | {} | {} |\n", code(row.path), plain(row.type), row.required ? "yes" : "no",
                       plain(row.description));
  }
  if (rows->size() >= kFieldRowsMax) out += "\nThere are more; the table is cut here.\n";
}

void append_versions(std::string& out, const EventType& type) {
  out += "\n## Versions\n";
  if (type.spec_versions.empty()) out += "\nNo schema is registered; any data is accepted.\n";
  for (const SpecVersion& spec : type.spec_versions) {
    out += fmt::format("\n### {}\n\n{}, {} ({}), of the {}.\n\n", to_text(spec.version), to_text(spec.status),
                       to_text(spec.schema_type), plain(spec.mime_type),
                       spec.describes == Describes::data ? "event's data" : "whole envelope");
    append_fields(out, spec);
  }
}

// That a new version calls itself by another number is no news.
bool is_version_number(const Change& change, const SpecVersion& spec) {
  return spec.describes == Describes::envelope && change.pointer.starts_with("/properties/schema_version");
}

void append_breaking_changes(std::string& out, const EventType& type) {
  out += "\n## Breaking changes\n";
  bool any = false;
  for (std::size_t i = 1; i < type.spec_versions.size(); ++i) {
    const SpecVersion& spec = type.spec_versions[i];
    const auto comparison = compare_schemas(type.spec_versions[i - 1], spec);
    if (!comparison) continue;  // the table of its fields says why
    bool first = true;
    for (const Change& change : comparison->changes) {
      if (!change.breaking || is_version_number(change, spec)) continue;
      if (first) out += fmt::format("\n### {}\n\n", to_text(spec.version));
      first = false;
      any = true;
      out += fmt::format("- {}\n", plain(change.message));
    }
  }
  if (!any) out += "\nNone.\n";
}

struct Example {
  std::string text;
  bool fits = false;
};

std::optional<Example> make_example(const SpecVersion& spec) {
  if (spec.schema_type != SchemaType::json_schema) return std::nullopt;
  const auto schema = json::parse(std::string_view(spec.schema));
  if (!schema) return std::nullopt;
  const auto example = json::parse_owned(example_of(schema->root()));
  const auto validator = compile_schema(spec);
  if (!example || !validator) return std::nullopt;
  return Example{indented(example->root()), (*validator)->check(example->root()).empty()};
}

void append_examples(std::string& out, const EventType& type) {
  out += "\n## Examples\n";
  bool any = false;
  for (const SpecVersion& spec : type.spec_versions) {
    const auto example = make_example(spec);
    if (!example) continue;
    any = true;
    out += fmt::format("\n### {}\n\n", to_text(spec.version));
    if (!example->fits) out += "The schema asks for more than this made-up example could guess.\n\n";
    out += fmt::format("```json\n{}\n```\n", example->text);
  }
  if (!any) out += "\nNone.\n";
}

}  // namespace

std::string docs_file_name(std::string_view code) { return fmt::format("{}.md", code); }

std::string docs_page(const EventType& type) {
  std::string out = fmt::format("# {}\n\n", code(type.code));
  append_purpose(out, type);
  append_versions(out, type);
  append_breaking_changes(out, type);
  append_examples(out, type);
  return out;
}

}  // namespace millrace::registry
