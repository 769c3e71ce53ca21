// A JSON Schema with its local references and its allOf laid flat: the parts that all apply to one place. A view
// of the document it was made from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/value.h"

namespace millrace::registry {

class FlatSchema {
 public:
  // Unresolvable and circular references stay out; what they say is in unresolved().
  static FlatSchema of(json::Value root, json::Value schema);

  // True for `true`, `{}` and references to such.
  bool accepts_everything() const;
  bool accepts_nothing() const { return false_; }

  // The first part's value of a keyword, and every part's.
  std::optional<json::Value> find(std::string_view keyword) const;
  std::vector<json::Value> all(std::string_view keyword) const;
  // The elements of the first part's value; none if it is no array.
  std::vector<json::Value> elements(std::string_view keyword) const;
  // Every property with its schemas, in the order of the parts that have it; one schema as a rule.
  std::vector<std::pair<std::string, std::vector<json::Value>>> property_parts() const;
  // The same with the first schema of each.
  std::vector<std::pair<std::string, json::Value>> properties() const;
  std::vector<std::string> required() const;
  // Those that some part requires without a default for them among its own properties: no event may come without.
  std::vector<std::string> insisted() const;
  // Names of JSON types that may stand here, sorted; also from const and enum. Empty: any.
  std::vector<std::string> types() const;
  const std::vector<std::string>& unresolved() const { return unresolved_; }
  // All values of a keyword as one text, with what they refer to: equal texts mean the same. Where that would be too
  // long, a text that is equal to no other document's.
  std::string expanded_text(std::string_view keyword) const;

 private:
  explicit FlatSchema(json::Value root) : root_(root) {}
  void gather(json::Value schema, int depth);

  json::Value root_;
  std::vector<json::Value> parts_;  // objects
  std::vector<std::string> unresolved_;
  bool false_ = false;
};

// What a local reference ("#", "#/definitions/x", "#anchor", the root's own $id) names in `root`.
std::optional<json::Value> resolve_reference(json::Value root, std::string_view reference);

// The same text for equal values: keys sorted, integers without exponents or fractions.
std::string canonical_text(json::Value value);

// Appends "/token" with the token escaped (RFC 6901).
std::string pointer_to(std::string_view pointer, std::string_view token);

}  // namespace millrace::registry
