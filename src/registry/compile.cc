#include "registry/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "json/parse.h"
#include "registry/bounds.h"
#include "registry/json_schema/schema.h"
#include "registry/proto_schema.h"
#include "registry/xsd_schema.h"

namespace millrace::registry {
namespace {

class JsonSchemaValidator final : public PayloadValidator {
 public:
  explicit JsonSchemaValidator(std::shared_ptr<const json_schema::Schema> schema) : schema_(std::move(schema)) {}

  std::vector<Violation> check(json::Value payload) const override {
    std::vector<Violation> violations;
    if (schema_->is_valid(payload)) return violations;
    for (auto& found : schema_->validate(payload, kViolationsMax)) {
      violations.push_back({std::move(found.instance_pointer), std::move(found.message)});
    }
    return violations;
  }

 private:
  std::shared_ptr<const json_schema::Schema> schema_;
};

std::unexpected<Error> refuse(std::string detail) { return fail(Errc::invalid, std::move(detail), "schema"); }

// Words that only 2020-12 has. A schema that does not say what it is written in gives itself away by them.
bool uses_2020_words(json::Value at) {
  constexpr std::string_view kWords[] = {
      "$defs",       "$anchor",           "$dynamicRef",      "prefixItems",      "minContains",
      "maxContains", "dependentRequired", "dependentSchemas", "unevaluatedItems", "unevaluatedProperties"};
  if (at.is(json::Kind::array)) {
    for (const json::Value element : at.elements()) {
      if (uses_2020_words(element)) return true;
    }
    return false;
  }
  if (!at.is(json::Kind::object)) return false;
  for (const auto& [key, value] : at.members()) {
    if (std::ranges::find(kWords, key.get_string()) != std::end(kWords) || uses_2020_words(value)) return true;
  }
  return false;
}

json_schema::CompileOptions options_for(json::Value schema) {
  const auto draft = uses_2020_words(schema) ? json_schema::Draft::draft202012 : json_schema::Draft::draft07;
  return {.default_draft = draft, .assert_formats = true, .defaults_stand_in = true};
}

Result<std::shared_ptr<const PayloadValidator>> compile_json_schema(std::string_view text) {
  if (text.size() > kSchemaBytesMax) return refuse(fmt::format("is longer than {} bytes", kSchemaBytesMax));
  const auto document = json::parse(text);
  if (!document) return refuse(json::to_error(document.error()).detail);
  const auto schema = json_schema::Schema::compile(document->root(), options_for(document->root()));
  if (schema) return std::make_shared<const JsonSchemaValidator>(*schema);
  const Error& error = schema.error();
  return refuse(error.field.empty() ? error.detail : fmt::format("{}: {}", error.field, error.detail));
}

// A validator of its own type as one of any; or its error.
template <class Schema>
Result<std::shared_ptr<const PayloadValidator>> widen(Result<std::shared_ptr<const Schema>> schema) {
  if (!schema) return std::unexpected(std::move(schema.error()));
  return std::move(*schema);
}

Result<Comparison> compare_json(const SpecVersion& old_spec, const SpecVersion& new_spec) {
  const auto was = json::parse(std::string_view(old_spec.schema));
  if (!was) return refuse(was.error().message);
  const auto is = json::parse(std::string_view(new_spec.schema));
  if (!is) return refuse(is.error().message);
  return compare_json_schemas(was->root(), is->root());
}

template <class Schema, class Compare>
Result<Comparison> compare_shapes(const Result<std::shared_ptr<const Schema>>& was,
                                  const Result<std::shared_ptr<const Schema>>& is, Compare compare) {
  if (!was) return std::unexpected(was.error());
  if (!is) return std::unexpected(is.error());
  return compare((*was)->shape(), (*is)->shape());
}

}  // namespace

Result<std::shared_ptr<const PayloadValidator>> compile_schema(SchemaType type, std::string_view text,
                                                               std::string_view proto_message) {
  switch (type) {
    case SchemaType::proto:
      return widen(ProtoSchema::compile(text, proto_message));
    case SchemaType::xsd:
      return widen(XsdSchema::compile(text));
    case SchemaType::json_schema:
      break;
  }
  return compile_json_schema(text);
}

Result<std::shared_ptr<const PayloadValidator>> compile_schema(const SpecVersion& spec) {
  return compile_schema(spec.schema_type, spec.schema, spec.message);
}

Result<Comparison> compare_schemas(const SpecVersion& old_spec, const SpecVersion& new_spec) {
  if (old_spec.schema_type != new_spec.schema_type || old_spec.describes != new_spec.describes) {
    return Comparison{
        {{"", ChangeKind::type_changed, true,
          fmt::format("was {} of the {}, is {} of the {}", to_text(old_spec.schema_type), to_text(old_spec.describes),
                      to_text(new_spec.schema_type), to_text(new_spec.describes))}}};
  }
  switch (new_spec.schema_type) {
    case SchemaType::proto:
      return compare_shapes(ProtoSchema::compile(old_spec.schema, old_spec.message),
                            ProtoSchema::compile(new_spec.schema, new_spec.message), compare_proto);
    case SchemaType::xsd:
      return compare_shapes(XsdSchema::compile(old_spec.schema), XsdSchema::compile(new_spec.schema), compare_xsd);
    case SchemaType::json_schema:
      break;
  }
  return compare_json(old_spec, new_spec);
}

}  // namespace millrace::registry
