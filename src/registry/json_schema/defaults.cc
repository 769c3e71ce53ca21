#include "registry/json_schema/defaults.h"

#include <vector>

namespace millrace::registry::json_schema {
namespace {

using Users = std::vector<std::vector<NodeId>>;  // by node: those that say all that it says

Users users_of(const Program& program) {
  Users users(program.nodes.size());
  for (NodeId id = 0; id < program.nodes.size(); ++id) {
    const InPlace* rules = program.nodes[id].in_place.get();
    if (rules == nullptr) continue;
    if (rules->ref != kNoNode) users[rules->ref].push_back(id);
    if (rules->dynamic_target != kNoNode) users[rules->dynamic_target].push_back(id);
    for (const NodeId part : rules->all_of) users[part].push_back(id);
  }
  return users;
}

// From the nodes with a default to all that include them; each once, so that shared definitions cost no more.
std::vector<bool> nodes_with_default(const Program& program) {
  const Users users = users_of(program);
  std::vector<bool> found(program.nodes.size());
  std::vector<NodeId> open;
  const auto note = [&](NodeId id) {
    if (found[id]) return;
    found[id] = true;
    open.push_back(id);
  };
  for (NodeId id = 0; id < program.nodes.size(); ++id) {
    if (program.nodes[id].has_default) note(id);
  }
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    for (const NodeId user : users[id]) note(user);
  }
  return found;
}

}  // namespace

void let_defaults_stand_in(Program& program) {
  const std::vector<bool> with_default = nodes_with_default(program);
  for (Node& node : program.nodes) {
    if (!node.objects) continue;
    for (const std::string& name : node.objects->required) {
      PropertyRule& rule = node.objects->properties[name];
      rule.defaulted = rule.schema != kNoNode && with_default[rule.schema];
      node.objects->defaulted += rule.defaulted;
      program.defaults_stand_in |= rule.defaulted;
    }
  }
}

}  // namespace millrace::registry::json_schema
