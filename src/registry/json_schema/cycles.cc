#include "registry/json_schema/cycles.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace millrace::registry::json_schema {
namespace {

// Schemas applied to one value inside each other. Usual schemas need ten; the stack is the reason for a bound.
constexpr std::uint32_t kChainMax = 200;

std::vector<NodeId> same_value_schemas(const Node& node) {
  std::vector<NodeId> next;
  const auto add = [&](NodeId id) {
    if (id != kNoNode) next.push_back(id);
  };
  if (node.in_place) {
    const InPlace& rules = *node.in_place;
    for (const NodeId id :
         {rules.ref, rules.dynamic_target, rules.negated, rules.condition, rules.consequence, rules.alternative}) {
      add(id);
    }
    if (rules.dynamic) add(rules.dynamic->fallback);
    for (const auto* list : {&rules.all_of, &rules.any_of, &rules.one_of}) {
      for (const NodeId id : *list) add(id);
    }
  }
  if (node.objects) {
    for (const auto& [name, rule] : node.objects->properties.all()) {
      for (const Dependency& dependency : rule.dependencies) add(dependency.schema);
    }
  }
  return next;
}

// Depth first, without recursion: chains can be as long as the schema.
class Search {
 public:
  explicit Search(const Program& program) : program_(program), height_(program.nodes.size(), kUnknown) {}

  std::optional<Error> run() {
    for (NodeId id = 0; id < program_.nodes.size(); ++id) {
      if (height_[id] == kUnknown) {
        if (auto error = descend(id)) return error;
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint32_t kUnknown = 0xffffffff;
  static constexpr std::uint32_t kOpen = 0xfffffffe;
  struct Frame {
    NodeId id;
    std::vector<NodeId> next;
  };

  void open(NodeId id) {
    height_[id] = kOpen;
    path_.push_back({id, same_value_schemas(program_.nodes[id])});
  }

  std::optional<Error> descend(NodeId start) {
    open(start);
    while (!path_.empty()) {
      Frame& frame = path_.back();
      if (frame.next.empty()) {
        if (auto error = close(frame.id)) return error;
        continue;
      }
      const NodeId next = frame.next.back();
      frame.next.pop_back();
      if (height_[next] == kOpen) {
        return refuse(next, "the schema refers back to itself for the same value, so that it would never end");
      }
      if (height_[next] == kUnknown) open(next);
    }
    return std::nullopt;
  }

  std::optional<Error> close(NodeId id) {
    std::uint32_t height = 0;
    for (const NodeId next : same_value_schemas(program_.nodes[id])) height = std::max(height, height_[next] + 1);
    if (height > kChainMax) {
      return refuse(id, fmt::format("more than {} schemas refer to each other for the same value", kChainMax));
    }
    height_[id] = height;
    path_.pop_back();
    return std::nullopt;
  }

  std::optional<Error> refuse(NodeId id, std::string detail) const {
    return Error{Errc::invalid, std::move(detail), program_.nodes[id].place};
  }

  const Program& program_;
  std::vector<std::uint32_t> height_;  // of the longest chain below; or unknown, or on the path
  std::vector<Frame> path_;
};

}  // namespace

std::optional<Error> find_endless_reference(const Program& program) { return Search(program).run(); }

}  // namespace millrace::registry::json_schema
