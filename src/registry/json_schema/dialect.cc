#include "registry/json_schema/dialect.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>

#include "registry/json_schema/metaschemas.h"
#include "registry/json_schema/uri.h"

namespace millrace::registry::json_schema {
namespace {

using json::Kind;
using json::Value;

// Metaschemas that are written in other metaschemas' terms; nobody stacks more.
constexpr int kMetaschemaDepthMax = 4;
constexpr std::string_view kVocabularyBase = "https://json-schema.org/draft/2020-12/vocab/";

constexpr auto kVocabularies = std::to_array<std::pair<std::string_view, Vocabulary>>({
    {"core", Vocabulary::core},
    {"applicator", Vocabulary::applicator},
    {"unevaluated", Vocabulary::unevaluated},
    {"validation", Vocabulary::validation},
    {"format-annotation", Vocabulary::format},
    {"format-assertion", Vocabulary::format},
    {"meta-data", Vocabulary::other},
    {"content", Vocabulary::other},
});

std::unexpected<Error> refuse(std::string detail) { return fail(Errc::invalid, std::move(detail), "/$schema"); }

std::optional<Vocabulary> known_vocabulary(std::string_view uri) {
  if (!uri.starts_with(kVocabularyBase)) return std::nullopt;
  uri.remove_prefix(kVocabularyBase.size());
  for (const auto& [name, vocabulary] : kVocabularies) {
    if (name == uri) return vocabulary;
  }
  return std::nullopt;
}

Result<Dialect> with_vocabularies(Dialect dialect, Value vocabularies) {
  dialect.vocabularies = 1u << static_cast<unsigned>(Vocabulary::core);
  for (const json::Member member : vocabularies.members()) {
    const std::string uri = member.key.get_string();
    const auto known = known_vocabulary(uri);
    if (known) {
      dialect.vocabularies = static_cast<std::uint8_t>(dialect.vocabularies | 1u << static_cast<unsigned>(*known));
      if (uri.ends_with("/format-assertion")) dialect.asserts_formats = true;
    } else if (member.value.is(Kind::boolean) && member.value.get_bool()) {
      return refuse(fmt::format("the metaschema requires the vocabulary {}, which is not supported", uri));
    }
  }
  return dialect;
}

Result<Dialect> dialect_at_depth(Value schema, const Dialect& inherited, const Library* library, int depth) {
  const auto named = schema.find("$schema");
  if (!named) return inherited;
  if (!named->is(Kind::string)) return refuse("$schema must be a string");
  const std::string written = named->get_string();
  const std::string_view uri = split_fragment(written).document;
  if (uri == kDraft07Uri) return Dialect{Draft::draft07, 0xff, inherited.asserts_formats};
  if (uri == kDraft202012Uri) return Dialect{Draft::draft202012, 0xff, inherited.asserts_formats};

  const SharedDocument metaschema = library != nullptr ? library->find(uri) : nullptr;
  if (metaschema == nullptr || depth == kMetaschemaDepthMax) {
    return refuse(fmt::format("the $schema {} is not supported; use {} or {}#, or leave it out", written,
                              kDraft202012Uri, kDraft07Uri));
  }
  const auto base = dialect_at_depth(metaschema->root(), inherited, library, depth + 1);
  if (!base) return base;
  const auto vocabularies = metaschema->root().find("$vocabulary");
  if (base->draft == Draft::draft07 || !vocabularies || !vocabularies->is(Kind::object)) return base;
  return with_vocabularies(*base, *vocabularies);
}

}  // namespace

Result<Dialect> dialect_of(Value schema, const Dialect& inherited, const Library* library) {
  return dialect_at_depth(schema, inherited, library, 0);
}

}  // namespace millrace::registry::json_schema
