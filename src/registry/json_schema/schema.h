// JSON Schema, draft-07 and 2020-12: a schema is compiled once and then says of any number of values whether they
// fit, or why not. Nothing is ever fetched: what a $ref names is in the schema, in the Library or a metaschema.
// A Schema owns all it needs, is immutable and may be used by any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "registry/json_schema/library.h"

namespace millrace::registry::json_schema {

struct Program;

enum class Draft : std::uint8_t { draft07, draft202012 };

struct CompileOptions {
  Draft default_draft = Draft::draft202012;  // for a schema without $schema
  // `format` refuses what does not fit it; without, it is a comment, as 2020-12 has it. Formats that are not
  // known are comments always.
  bool assert_formats = false;
  // A required property that is missing counts as present where the `properties` beside `required` give it a default:
  // what was written before the property was asked for stays valid. Refuses nothing that fits without it.
  bool defaults_stand_in = false;
  std::shared_ptr<const Library> library = {};  // what $ref and $schema may name beside the schema itself
  std::string uri = {};                         // what a relative $id and $ref are relative to
};

struct Violation {
  std::string instance_pointer;  // JSON pointer to the value that does not fit; "" is the whole
  std::string schema_pointer;    // JSON pointer to the keyword; in another document: URI, '#', pointer
  std::string message;

  bool operator==(const Violation&) const = default;
};

inline constexpr std::size_t kViolationsDefault = 20;

class Schema {
 public:
  // Errc::invalid where the schema is none or cannot be run: `field` is the JSON pointer of what to mend (with the
  // URI before it and '#' if that is in another document), `detail` says why. Keeps a copy of the text.
  static Result<std::shared_ptr<const Schema>> compile(json::Value schema, const CompileOptions& options = {});
  // The same from text; also Errc::malformed.
  static Result<std::shared_ptr<const Schema>> compile(std::string_view text, const CompileOptions& options = {});

  // REQUIRES, for both: `instance` was parsed within the usual depth (limits::kJsonDepthMax), which bounds the stack.
  // Whether the value fits. Stops at the first thing that does not; needs no memory for the usual schemas.
  // A value that would take more work than 100 000 checks and 64 for each of its bytes does not fit.
  bool is_valid(json::Value instance) const;
  // What does not fit, at most `limit` (at least one); empty if the value is valid.
  std::vector<Violation> validate(json::Value instance, std::size_t limit = kViolationsDefault) const;

  explicit Schema(std::unique_ptr<const Program> program);
  ~Schema();
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;

 private:
  std::unique_ptr<const Program> program_;
};

}  // namespace millrace::registry::json_schema
