// XSD schemas: the payload is an XML document in a string (S3.6). Nothing is ever loaded from anywhere: schemas
// may not import, documents may not have a DTD, and hints of where a schema is are ignored. libxml2 stays behind
// this header.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "registry/validator.h"
#include "registry/xsd_shape.h"

namespace millrace::registry {

// A payload that is longer is refused without reading it.
inline constexpr std::size_t kXmlBytesMax = 4 * 1024 * 1024;

class XsdSchema final : public PayloadValidator {
 public:
  // Errc::invalid with the line where the text is no schema.
  static Result<std::shared_ptr<const XsdSchema>> compile(std::string_view text);

  // `payload` must be a string. Violations have the pointer "", and line and element in the message.
  std::vector<Violation> check(json::Value payload) const override;
  std::vector<Violation> check_xml(std::string_view xml) const;

  const XsdShape& shape() const;

  ~XsdSchema() override;

 private:
  struct Parsed;
  explicit XsdSchema(std::unique_ptr<const Parsed> parsed);
  std::unique_ptr<const Parsed> parsed_;
};

}  // namespace millrace::registry
