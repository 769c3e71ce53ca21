#include "registry/type_change.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/assert.h"
#include "json/object_reader.h"
#include "registry/compile.h"

namespace millrace::registry {
namespace {

constexpr std::size_t kChangesNamedMax = 20;  // in one error; `schema check` lists them all

const SpecVersion* find_version(const EventType& type, SchemaVersion version) {
  const auto found = std::ranges::find(type.spec_versions, version, &SpecVersion::version);
  return found == type.spec_versions.end() ? nullptr : &*found;
}

bool same_schema(const SpecVersion& a, const SpecVersion& b) {
  return a.schema == b.schema && a.schema_type == b.schema_type && a.message == b.message &&
         a.describes == b.describes && a.mime_type == b.mime_type;
}

// Whether this version needs no second look.
bool is_unchanged(const EventType* old_type, const SpecVersion& spec) {
  if (old_type == nullptr) return false;
  const SpecVersion* before = find_version(*old_type, spec.version);
  return before != nullptr && same_schema(*before, spec);
}

std::string place_of(const EventType& type, const SpecVersion& spec, std::string_view key) {
  const auto index = static_cast<std::size_t>(&spec - type.spec_versions.data());
  return fmt::format("{}.{}", json::element_path("specVersions", index), key);
}

std::string breaking_changes(const Comparison& comparison) {
  std::vector<std::string_view> named;
  for (const Change& change : comparison.changes) {
    if (change.breaking && named.size() < kChangesNamedMax) named.push_back(change.message);
  }
  return fmt::format("{}", fmt::join(named, "; "));
}

Result<void> expect_compatible(const SpecVersion& was, const SpecVersion& is, std::string_view advice,
                               std::string place) {
  const auto comparison = compare_schemas(was, is);
  if (!comparison) return fail(comparison.error().code, comparison.error().detail, std::move(place));
  if (comparison->compatible()) return {};
  return fail(Errc::conflict,
              fmt::format("{} breaks {}: {}; {}", to_text(is.version), to_text(was.version),
                          breaking_changes(*comparison), advice),
              std::move(place));
}

Result<void> check_compiles(const EventType& type, const EventType* old_type) {
  for (const SpecVersion& spec : type.spec_versions) {
    if (is_unchanged(old_type, spec)) continue;
    const auto compiled = compile_schema(spec);
    if (!compiled) return fail(compiled.error().code, compiled.error().detail, place_of(type, spec, "schema"));
  }
  return {};
}

// Neighbours within a major version; those that both stood before were compared then.
Result<void> check_minors(const EventType& type, const EventType* old_type) {
  const auto& versions = type.spec_versions;
  for (std::size_t i = 1; i < versions.size(); ++i) {
    const SpecVersion& was = versions[i - 1];
    const SpecVersion& is = versions[i];
    if (was.version.major != is.version.major) continue;
    if (is_unchanged(old_type, was) && is_unchanged(old_type, is)) continue;
    auto checked =
        expect_compatible(was, is, "a breaking change needs a new major version", place_of(type, is, "schema"));
    if (!checked) return checked;
  }
  return {};
}

Result<void> check_transition(const EventType& type, const SpecVersion& was, const SpecVersion& is) {
  if (is.status < was.status) {
    return fail(Errc::conflict,
                fmt::format("version {} is {} and cannot go back to {}", to_text(is.version), to_text(was.status),
                            to_text(is.status)),
                place_of(type, is, "status"));
  }
  if (was.status == VersionStatus::finalising || same_schema(was, is)) return {};
  if (is.describes == Describes::envelope && was.describes == Describes::envelope) {
    return expect_compatible(was, is, "a breaking change needs a new version", place_of(type, is, "schema"));
  }
  return fail(Errc::conflict,
              fmt::format("version {} is {}; its schema can change only while it is FINALISING", to_text(is.version),
                          to_text(was.status)),
              place_of(type, is, "schema"));
}

Result<void> check_history(const EventType& old_type, const EventType& new_type) {
  for (const SpecVersion& was : old_type.spec_versions) {
    const SpecVersion* is = find_version(new_type, was.version);
    if (is != nullptr) {
      auto checked = check_transition(new_type, was, *is);
      if (!checked) return checked;
    } else if (was.status != VersionStatus::finalising) {
      return fail(Errc::conflict,
                  fmt::format("version {} is {} and cannot be removed", to_text(was.version), to_text(was.status)),
                  "specVersions");
    }
  }
  return {};
}

}  // namespace

Result<void> check_new_type(const EventType& type) {
  auto checked = check_compiles(type, nullptr);
  return checked ? check_minors(type, nullptr) : checked;
}

Result<void> check_type_change(const EventType& old_type, const EventType& new_type) {
  MR_ASSERT(old_type.code == new_type.code, "a type keeps its code");
  // A schema that does not compile is the more helpful thing to say first.
  auto checked = check_compiles(new_type, &old_type);
  if (checked) checked = check_history(old_type, new_type);
  return checked ? check_minors(new_type, &old_type) : checked;
}

}  // namespace millrace::registry
