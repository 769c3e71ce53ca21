#include "registry/json_schema/schema.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "json/parse.h"
#include "registry/json_schema/compiler.h"
#include "registry/json_schema/defaults.h"
#include "registry/json_schema/evaluation.h"
#include "registry/json_schema/metaschemas.h"
#include "registry/json_schema/program.h"
#include "registry/json_schema/resources.h"

namespace millrace::registry::json_schema {
namespace {

using SharedSchema = std::shared_ptr<const Schema>;

Result<SharedSchema> compile_document(SharedDocument document, const CompileOptions& options) {
  Resources resources(options.library, Dialect{options.default_draft, 0xff, options.assert_formats});
  const auto root = resources.add_root(std::move(document), options.uri);
  if (!root) return std::unexpected(root.error());
  auto program = compile_program(resources, **root);
  if (!program) return std::unexpected(program.error());
  if (options.defaults_stand_in) let_defaults_stand_in(**program);
  return std::make_shared<const Schema>(*std::move(program));
}

SharedSchema compile_metaschema(std::string_view uri) {
  auto document = json::parse(metaschema_text(uri));
  MR_ASSERT(document.has_value(), "metaschemas are JSON");
  const auto schema = compile_document(std::make_shared<const json::Document>(*std::move(document)), {});
  MR_ASSERT(schema.has_value(), "metaschemas compile");
  return *schema;
}

const Schema& metaschema_of(Draft draft) {
  static const SharedSchema draft07 = compile_metaschema(kDraft07Uri);
  static const SharedSchema draft202012 = compile_metaschema(kDraft202012Uri);
  return draft == Draft::draft07 ? *draft07 : *draft202012;
}

// Whether the draft allows the schema at all; what it means is the compiler's.
Result<void> check_against_metaschema(json::Value schema, const CompileOptions& options) {
  const auto dialect = dialect_of(schema, Dialect{options.default_draft}, options.library.get());
  if (!dialect) return std::unexpected(dialect.error());
  const auto violations = metaschema_of(dialect->draft).validate(schema);
  if (violations.empty()) return {};
  // That no alternative fits says less than what is wrong with the one that was meant, which follows it.
  const auto names_the_cause = [](const Violation& violation) { return !violation.schema_pointer.ends_with("/anyOf"); };
  const auto cause = std::ranges::find_if(violations, names_the_cause);
  const Violation& told = cause == violations.end() ? violations.front() : *cause;
  return fail(Errc::invalid, told.message, told.instance_pointer);
}

}  // namespace

Schema::Schema(std::unique_ptr<const Program> program) : program_(std::move(program)) {}
Schema::~Schema() = default;

Result<SharedSchema> Schema::compile(json::Value schema, const CompileOptions& options) {
  return compile(schema.raw(), options);
}

Result<SharedSchema> Schema::compile(std::string_view text, const CompileOptions& options) {
  auto parsed = json::parse_owned(std::string(text));
  if (!parsed) return std::unexpected(json::to_error(parsed.error()));
  auto document = std::make_shared<const json::Document>(*std::move(parsed));
  if (auto allowed = check_against_metaschema(document->root(), options); !allowed) {
    return std::unexpected(std::move(allowed.error()));
  }
  return compile_document(std::move(document), options);
}

bool Schema::is_valid(json::Value instance) const { return Evaluation(*program_, instance).run(); }

std::vector<Violation> Schema::validate(json::Value instance, std::size_t limit) const {
  if (is_valid(instance)) return {};
  return Evaluation(*program_, instance).collect(limit);
}

}  // namespace millrace::registry::json_schema
