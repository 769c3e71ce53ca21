#include "registry/field_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "json/parse.h"
#include "registry/flat_schema.h"
#include "registry/proto_schema.h"
#include "registry/xsd_schema.h"

namespace millrace::registry {
namespace {

using json::Kind;
using json::Value;

constexpr std::size_t kNestingMax = 8;
constexpr std::size_t kValuesShownMax = 12;

std::string text_keyword(const FlatSchema& schema, std::string_view keyword) {
  const auto value = schema.find(keyword);
  return value && value->is(Kind::string) ? value->get_string() : std::string();
}

class JsonRows {
 public:
  explicit JsonRows(Value root) : root_(root) {}

  std::vector<FieldRow> take() {
    add_below(root_, "");
    return std::move(rows_);
  }

 private:
  void add_below(Value schema, const std::string& path) {
    const char* place = schema.raw().data();
    if (open_.size() >= kNestingMax || std::ranges::find(open_, place) != open_.end()) return;
    open_.push_back(place);
    const auto flat = FlatSchema::of(root_, schema);
    const auto required = flat.required();
    for (const auto& [name, property] : flat.properties()) {
      if (rows_.size() >= kFieldRowsMax) break;
      const bool wanted = std::ranges::find(required, name) != required.end();
      add_field(property, path.empty() ? name : fmt::format("{}.{}", path, name), wanted);
    }
    const auto items = flat.find("items");
    if (items && items->is(Kind::object)) add_below(*items, path + "[]");
    open_.pop_back();
  }

  void add_field(Value schema, const std::string& path, bool required) {
    const auto flat = FlatSchema::of(root_, schema);
    rows_.push_back({path, type_of(flat), required, text_keyword(flat, "description")});
    add_below(schema, path);
  }

  std::string type_of(const FlatSchema& flat) const {
    if (const auto constant = flat.find("const")) return std::string(constant->raw());
    if (const auto values = flat.find("enum"); values && values->is(Kind::array)) return values_of(*values);
    const auto types = flat.types();
    std::string text = types.empty() ? "any" : fmt::format("{}", fmt::join(types, " or "));
    const auto items = flat.find("items");
    if (text == "array" && items && items->is(Kind::object)) text += " of " + type_of(FlatSchema::of(root_, *items));
    const std::string format = text_keyword(flat, "format");
    return format.empty() ? text : fmt::format("{} ({})", text, format);
  }

  static std::string values_of(Value values) {
    std::vector<std::string_view> shown;
    for (const Value value : values.elements()) {
      if (shown.size() == kValuesShownMax) {
        shown.emplace_back("…");
        break;
      }
      shown.push_back(value.raw());
    }
    return fmt::format("{}", fmt::join(shown, " or "));
  }

  Value root_;
  std::vector<FieldRow> rows_;
  std::vector<const char*> open_;  // where the schemas stand that the walk is in
};

void add_proto_rows(const ProtoShape& shape, const std::string& message, const std::string& path, std::size_t depth,
                    std::vector<FieldRow>& rows) {
  const auto found = shape.messages.find(message);
  if (found == shape.messages.end() || depth >= kNestingMax) return;
  for (const ProtoField& field : found->second) {
    if (rows.size() >= kFieldRowsMax) return;
    const std::string type = field.of.empty() ? field.type : field.of;
    const bool many = field.label == "repeated";
    const std::string here = fmt::format("{}{}{}", path, path.empty() ? "" : ".", field.name);
    rows.push_back({here, many ? "array of " + type : field.label == "map" ? "map" : type, field.label == "required"});
    if (field.type == "message" && field.label != "map") {
      add_proto_rows(shape, field.of, here + (many ? "[]" : ""), depth + 1, rows);
    }
  }
}

Result<std::vector<FieldRow>> proto_rows(const SpecVersion& spec) {
  const auto schema = ProtoSchema::compile(spec.schema, spec.message);
  if (!schema) return std::unexpected(schema.error());
  std::vector<FieldRow> rows;
  add_proto_rows((*schema)->shape(), (*schema)->shape().root, "", 0, rows);
  return rows;
}

Result<std::vector<FieldRow>> xsd_rows(const SpecVersion& spec) {
  const auto schema = XsdSchema::compile(spec.schema);
  if (!schema) return std::unexpected(schema.error());
  std::vector<FieldRow> rows;
  for (const XsdPart& part : (*schema)->shape()) {
    if (part.kind != "element" && part.kind != "attribute") continue;
    if (rows.size() >= kFieldRowsMax) break;
    rows.push_back({part.path, part.value.empty() ? part.kind : part.value, part.required});
  }
  return rows;
}

}  // namespace

Result<std::vector<FieldRow>> field_rows(const SpecVersion& spec) {
  switch (spec.schema_type) {
    case SchemaType::proto:
      return proto_rows(spec);
    case SchemaType::xsd:
      return xsd_rows(spec);
    case SchemaType::json_schema:
      break;
  }
  const auto document = json::parse(std::string_view(spec.schema));
  if (!document) return fail(Errc::invalid, json::to_error(document.error()).detail, "schema");
  return JsonRows(document->root()).take();
}

}  // namespace millrace::registry
