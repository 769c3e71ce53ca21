#include "registry/compiled_type.h"

#include <fmt/format.h>

#include <utility>

#include "json/object_reader.h"
#include "registry/compile.h"

namespace millrace::registry {

Result<std::shared_ptr<const CompiledType>> CompiledType::compile(EventType type) {
  std::vector<std::shared_ptr<const PayloadValidator>> validators;
  for (const SpecVersion& spec : type.spec_versions) {
    auto validator = compile_schema(spec);
    if (!validator) {
      return fail(validator.error().code, validator.error().detail,
                  json::element_path("specVersions", validators.size()) + ".schema");
    }
    validators.push_back(std::move(*validator));
  }
  return std::shared_ptr<const CompiledType>(new CompiledType(std::move(type), std::move(validators)));
}

Result<CompiledType::Choice> CompiledType::choose(std::optional<std::string_view> named) const {
  const auto spec = choose_version(type_, named);
  if (!spec) return std::unexpected(spec.error());
  if (*spec == nullptr) return Choice{};
  const auto index = static_cast<std::size_t>(*spec - type_.spec_versions.data());
  return Choice{*spec, validators_[index].get()};
}

}  // namespace millrace::registry
