#include "match/branches.h"

namespace millrace::match {
namespace {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

std::vector<Branch> of_field(const Node& field) {
  Requirement requirement{&field.path, {}};
  bool absent = false;
  for (const Condition& condition : field.any_of) {
    if (std::holds_alternative<Absent>(condition.test)) {
      absent = true;
    } else {
      requirement.any_of.push_back(&condition);
    }
  }
  std::vector<Branch> branches;
  if (!requirement.any_of.empty()) branches.emplace_back().required.push_back(std::move(requirement));
  if (absent) branches.emplace_back().absent.push_back(&field.path);
  return branches;
}

// Every branch of the one with every branch of the other.
std::vector<Branch> product(const std::vector<Branch>& left, const std::vector<Branch>& right) {
  std::vector<Branch> branches;
  branches.reserve(left.size() * right.size());
  for (const Branch& a : left) {
    for (const Branch& b : right) {
      Branch& both = branches.emplace_back(a);
      append(both.required, b.required);
      append(both.absent, b.absent);
      append(both.excluded, b.excluded);
    }
  }
  return branches;
}

}  // namespace

std::vector<Branch> branches_of(const Node& pattern) {
  switch (pattern.kind) {
    case Node::Kind::field:
      return of_field(pattern);
    case Node::Kind::none: {
      std::vector<Branch> branches(1);
      branches.front().excluded.push_back(&pattern.children.front());
      return branches;
    }
    case Node::Kind::any: {
      std::vector<Branch> branches;
      for (const Node& child : pattern.children) append(branches, branches_of(child));
      return branches;
    }
    case Node::Kind::all: {
      std::vector<Branch> branches(1);
      for (const Node& child : pattern.children) branches = product(branches, branches_of(child));
      return branches;
    }
  }
  return {};
}

}  // namespace millrace::match
