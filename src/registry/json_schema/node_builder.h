// What compiling one keyword needs: the node under construction, and the rest of the compilation. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "registry/json_schema/program.h"
#include "registry/json_schema/resources.h"

namespace millrace::registry::json_schema {

// What keywords ask of the compilation.
class NodeSource {
 public:
  virtual ~NodeSource() = default;
  // The node of a schema; compiled now or later.
  virtual NodeId node_for(const Position& position) = 0;
  virtual std::uint32_t anchor_number(std::string_view name) = 0;
  virtual Resources& resources() = 0;
  // Adds up the patterns of the whole schema; false when they are too many or too large together.
  virtual bool admit(const Pattern& pattern) = 0;
};

// One schema object on its way to a Node. The first refusal stays.
class NodeBuilder {
 public:
  NodeBuilder(NodeSource& source, const Position& position, Node& node)
      : source_(source), position_(position), node_(node) {}

  const Position& position() const { return position_; }
  const Dialect& dialect() const { return source_.resources().resource_of(position_).dialect; }
  const Resource& resource() const { return source_.resources().resource_of(position_); }
  NodeSource& source() { return source_; }
  Node& node() { return node_; }
  LiteralRules& literals() { return made(node_.literals); }
  NumberRules& numbers() { return made(node_.numbers); }
  StringRules& strings() { return made(node_.strings); }
  ArrayRules& arrays() { return made(node_.arrays); }
  ObjectRules& objects() { return made(node_.objects); }
  InPlace& in_place() { return made(node_.in_place); }

  // The node of a schema below `keyword`, under one more token if there is one. Refuses what is no schema.
  NodeId schema(std::string_view keyword, json::Value value);
  NodeId schema(std::string_view keyword, std::string_view token, json::Value value);
  std::optional<Pattern> pattern(std::string_view keyword, std::string_view source);

  void refuse(std::string_view keyword, std::string detail);
  const std::optional<Error>& error() const { return error_; }
  std::optional<Error> take_error() { return std::move(error_); }

 private:
  template <class Rules>
  static Rules& made(std::unique_ptr<Rules>& rules) {
    if (rules == nullptr) rules = std::make_unique<Rules>();
    return *rules;
  }
  NodeId schema_at(json::Value value, const std::string& pointer);

  NodeSource& source_;
  const Position& position_;
  Node& node_;
  std::optional<Error> error_;
};

}  // namespace millrace::registry::json_schema
