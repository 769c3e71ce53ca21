// PROTO schemas: payloads are checked as the JSON mapping of a protobuf message (S3.6). The text is parsed in
// memory: no files are read, and only the well-known types can be imported. libprotobuf stays behind this header.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "registry/proto_shape.h"
#include "registry/validator.h"

namespace millrace::registry {

class ProtoSchema final : public PayloadValidator {
 public:
  // `message` names the payload's message, with or without its package; empty means the only one at top level.
  // Errc::invalid with line and column where the text is none, or no message can be chosen.
  static Result<std::shared_ptr<const ProtoSchema>> compile(std::string_view text, std::string_view message = {});

  // Unknown fields are violations. All of them are told, up to the bound.
  std::vector<Violation> check(json::Value payload) const override;

  const ProtoShape& shape() const;

  ~ProtoSchema() override;

 private:
  struct Parsed;
  explicit ProtoSchema(std::unique_ptr<const Parsed> parsed);
  // Why the JSON is none of the message, of which libprotobuf tells one reason.
  std::optional<Violation> refusal_of(const std::string& message, const std::string& payload) const;

  std::unique_ptr<const Parsed> parsed_;
};

}  // namespace millrace::registry
