// An event type with its schemas compiled: what the intake keeps for every type it validates. Immutable; any thread
// may use it, and holders keep it alive while the catalog moves on.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "registry/event_type.h"
#include "registry/validator.h"

namespace millrace::registry {

class CompiledType {
 public:
  // Errc::invalid with the path of the schema that does not compile.
  static Result<std::shared_ptr<const CompiledType>> compile(EventType type);

  const EventType& type() const { return type_; }

  struct Choice {
    const SpecVersion* spec = nullptr;  // null: nothing to validate against, and no validator either
    const PayloadValidator* validator = nullptr;
  };
  // As choose_version(). The pointers live as long as this does.
  Result<Choice> choose(std::optional<std::string_view> named) const;

 private:
  CompiledType(EventType type, std::vector<std::shared_ptr<const PayloadValidator>> validators)
      : type_(std::move(type)), validators_(std::move(validators)) {}

  EventType type_;
  std::vector<std::shared_ptr<const PayloadValidator>> validators_;  // beside type_.spec_versions
};

}  // namespace millrace::registry
