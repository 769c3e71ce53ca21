// Two XSD schemas side by side, by the paths of their declarations.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "registry/xsd_shape.h"

namespace millrace::registry {
namespace {

using Key = std::pair<std::string, std::string>;  // path and kind

bool is_facet(const XsdPart& part) { return part.kind != "element" && part.kind != "attribute"; }

std::uint64_t most_of(const XsdPart& part) {
  std::uint64_t most = 1;
  if (part.most == "unbounded") return std::numeric_limits<std::uint64_t>::max();
  std::from_chars(part.most.data(), part.most.data() + part.most.size(), most);
  return most;
}

std::map<Key, const XsdPart*> declarations(const XsdShape& shape) {
  std::map<Key, const XsdPart*> out;
  for (const XsdPart& part : shape) {
    if (!is_facet(part)) out.emplace(Key{part.path, part.kind}, &part);
  }
  return out;
}

std::map<Key, std::set<std::string>> facets(const XsdShape& shape) {
  std::map<Key, std::set<std::string>> out;
  for (const XsdPart& part : shape) {
    if (is_facet(part)) out[Key{part.path, part.kind}].insert(part.value);
  }
  return out;
}

class XsdComparer {
 public:
  Comparison run(const XsdShape& was, const XsdShape& is) {
    compare_declarations(declarations(was), declarations(is));
    compare_facets(facets(was), facets(is));
    return std::move(result_);
  }

 private:
  void compare_declarations(const std::map<Key, const XsdPart*>& was, const std::map<Key, const XsdPart*>& is) {
    for (const auto& [key, part] : was) {
      const auto kept = is.find(key);
      if (kept == is.end()) {
        report(key.first, ChangeKind::field_removed, true, fmt::format("{} {} was removed", key.second, key.first));
      } else {
        compare_part(*part, *kept->second);
      }
    }
    for (const auto& [key, part] : is) {
      if (was.contains(key)) continue;
      report(key.first, part->required ? ChangeKind::required_added : ChangeKind::field_added, part->required,
             fmt::format("{} {} was added{}", key.second, key.first, part->required ? " and is required" : ""));
    }
  }

  void compare_part(const XsdPart& was, const XsdPart& is) {
    if (was.value != is.value) {
      report(is.path, ChangeKind::type_changed, true,
             fmt::format("{} {} has another type: was {}, is {}", is.kind, is.path, was.value, is.value));
    }
    if (was.required != is.required) {
      report(is.path, is.required ? ChangeKind::required_added : ChangeKind::required_dropped, is.required,
             fmt::format("{} {} is {} required", is.kind, is.path, is.required ? "now" : "no longer"));
    }
    if (most_of(was) == most_of(is)) return;
    const bool tighter = most_of(is) < most_of(was);
    report(is.path, tighter ? ChangeKind::tightened : ChangeKind::loosened, tighter,
           fmt::format("{} {} may occur {} often", is.kind, is.path, tighter ? "less" : "more"));
  }

  void compare_facets(const std::map<Key, std::set<std::string>>& was, const std::map<Key, std::set<std::string>>& is) {
    for (const auto& [key, old_values] : was) {
      const auto kept = is.find(key);
      if (kept == is.end()) {
        report(key.first, ChangeKind::loosened, false, fmt::format("{} has no {} any more", key.first, key.second));
      } else if (key.second == "enumeration") {
        compare_values(key.first, old_values, kept->second);
      } else if (kept->second != old_values) {
        report(key.first, ChangeKind::unclear, true, fmt::format("{} has another {}", key.first, key.second));
      }
    }
    for (const auto& [key, values] : is) {
      if (was.contains(key)) continue;
      report(key.first, ChangeKind::tightened, true, fmt::format("{} has a new {}", key.first, key.second));
    }
  }

  void compare_values(const std::string& path, const std::set<std::string>& was, const std::set<std::string>& is) {
    for (const std::string& value : was) {
      if (!is.contains(value)) {
        report(path, ChangeKind::value_removed, true, fmt::format("{} no longer takes \"{}\"", path, value));
      }
    }
    for (const std::string& value : is) {
      if (!was.contains(value)) {
        report(path, ChangeKind::value_added, false, fmt::format("{} also takes \"{}\"", path, value));
      }
    }
  }

  void report(const std::string& path, ChangeKind kind, bool breaking, std::string message) {
    if (result_.changes.size() >= kChangesMax) return;
    result_.changes.push_back({path, kind, breaking, std::move(message)});
  }

  Comparison result_;
};

}  // namespace

Comparison compare_xsd(const XsdShape& old_shape, const XsdShape& new_shape) {
  return XsdComparer().run(old_shape, new_shape);
}

}  // namespace millrace::registry
