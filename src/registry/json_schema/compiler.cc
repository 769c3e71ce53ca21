#include "registry/json_schema/compiler.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "registry/json_schema/cycles.h"
#include "registry/json_schema/keywords.h"
#include "registry/json_schema/node_builder.h"
#include "registry/json_schema/text_map.h"

namespace millrace::registry::json_schema {
namespace {

using json::Kind;
using json::Member;
using json::Value;

// Far more than people write (the schema of FHIR has 20 000), and still compiled in a fraction of a second.
constexpr std::size_t kNodesMax = 100'000;
// Each can take RE2 a megabyte while it runs.
constexpr std::size_t kPatternsMax = 1000;
// Instructions of all patterns together; usual ones have fifty. Compiling this many takes about 0.1 s.
constexpr std::size_t kPatternSizeMax = 200'000;

class Compiler final : public NodeSource {
 public:
  explicit Compiler(Resources& resources) : resources_(resources), program_(std::make_unique<Program>()) {}

  Result<std::unique_ptr<Program>> run(const Position& root) {
    program_->root = node_for(root);
    if (auto error = compile_waiting()) return std::unexpected(*std::move(error));
    // Also what nothing refers to yet: the author wants to hear of mistakes now.
    for (const Position& position : resources_.positions()) {
      if (resources_.in_root_document(position)) node_for(position);
    }
    if (auto error = compile_waiting()) return std::unexpected(*std::move(error));
    if (auto error = bind_dynamic_anchors()) return std::unexpected(*std::move(error));
    if (auto error = find_endless_reference(*program_)) return std::unexpected(*std::move(error));
    program_->documents = resources_.documents();
    return std::move(program_);
  }

  NodeId node_for(const Position& position) override {
    const auto [known, added] = by_value_.try_emplace(position.value.raw().data(), static_cast<NodeId>(order_.size()));
    if (added) order_.push_back(&position);
    return known->second;
  }

  std::uint32_t anchor_number(std::string_view name) override {
    return anchors_.try_emplace(name, static_cast<std::uint32_t>(anchors_.size())).first->second;
  }

  Resources& resources() override { return resources_; }
  bool admit(const Pattern& pattern) override {
    pattern_size_ += pattern.size();
    return ++patterns_ <= kPatternsMax && pattern_size_ <= kPatternSizeMax;
  }

 private:
  std::optional<Error> compile_waiting() {
    while (program_->nodes.size() < order_.size()) {
      if (order_.size() > kNodesMax) {
        return Error{Errc::invalid, fmt::format("the schema has more than {} subschemas", kNodesMax)};
      }
      const Position& position = *order_[program_->nodes.size()];
      Node node;
      if (auto error = compile_node(position, node)) return error;
      program_->nodes.push_back(std::move(node));
    }
    return std::nullopt;
  }

  std::optional<Error> compile_node(const Position& position, Node& node) {
    node.resource = position.resource;
    node.place = resources_.place(position);
    if (position.value.is(Kind::boolean)) {
      node.never = !position.value.get_bool();
      node.trivial = !node.never;
      return std::nullopt;
    }
    NodeBuilder builder(*this, position, node);
    if (!position.value.is(Kind::object)) {
      builder.refuse("", fmt::format("a schema must be an object or a boolean, this is {}",
                                     json::describe(position.value.kind())));
      return builder.take_error();
    }
    compile_keywords(builder, position.value);
    node.has_default = position.value.find("default").has_value();
    node.trivial = node.types == kEveryType && !node.literals && !node.numbers && !node.strings && !node.arrays &&
                   !node.objects && !node.in_place && node.unevaluated_items == kNoNode &&
                   node.unevaluated_properties == kNoNode;
    return builder.take_error();
  }

  static void compile_keywords(NodeBuilder& builder, Value schema) {
    if (builder.dialect().draft == Draft::draft07) {
      // Beside a $ref, draft-07 gives no keyword a meaning.
      if (const auto ref = schema.find("$ref")) return compile_ref(builder, "$ref", *ref);
    }
    for (const Member member : schema.members()) {
      const std::string name = member.key.get_string();
      if (const CompileKeyword compile = find_keyword(name, builder.dialect())) compile(builder, name, member.value);
      if (builder.error()) return;
    }
  }

  // Resources come in while nodes are compiled, and nodes while anchors are bound: until nothing is new.
  std::optional<Error> bind_dynamic_anchors() {
    std::size_t bound = 0;
    std::size_t names = anchors_.size();
    while (bound < resources_.dynamic_anchors().size() || names != anchors_.size()) {
      if (names != anchors_.size()) bound = 0;
      names = anchors_.size();
      for (; bound < resources_.dynamic_anchors().size(); ++bound) bind(resources_.dynamic_anchors()[bound]);
      if (auto error = compile_waiting()) return error;
    }
    program_->dynamic_anchors.resize(resources_.resource_count());
    return std::nullopt;
  }

  void bind(const DynamicAnchor& anchor) {
    const auto wanted = anchors_.find(anchor.name);
    if (wanted == anchors_.end()) return;
    auto& by_resource = program_->dynamic_anchors;
    if (by_resource.size() <= anchor.resource) by_resource.resize(anchor.resource + 1);
    const std::pair entry(wanted->second, node_for(*anchor.position));
    auto& entries = by_resource[anchor.resource];
    if (std::ranges::find(entries, entry) == entries.end()) entries.push_back(entry);
  }

  Resources& resources_;
  std::unique_ptr<Program> program_;
  std::vector<const Position*> order_;  // of the nodes; those beyond program_->nodes wait
  absl::flat_hash_map<const char*, NodeId> by_value_;
  TextMap<std::uint32_t> anchors_;  // names that a $dynamicRef asks for
  std::size_t patterns_ = 0;
  std::size_t pattern_size_ = 0;
};

}  // namespace

Result<std::unique_ptr<Program>> compile_program(Resources& resources, const Position& root) {
  return Compiler(resources).run(root);
}

}  // namespace millrace::registry::json_schema
