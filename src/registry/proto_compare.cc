// Two PROTO schemas side by side.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "registry/flat_schema.h"
#include "registry/proto_shape.h"

namespace millrace::registry {
namespace {

class ProtoComparer {
 public:
  ProtoComparer(const ProtoShape& was, const ProtoShape& is) : was_(was), is_(is) {}

  Comparison run() {
    open_.push_back({was_.root, is_.root, ""});
    // A list, not recursion: messages may refer to each other as long a chain as there are messages.
    std::size_t next = 0;
    while (next < open_.size()) {
      const Pair pair = open_[next++];
      if (seen_.emplace(pair.was, pair.is).second) compare_messages(pair);
    }
    return std::move(result_);
  }

 private:
  struct Pair {
    std::string was;
    std::string is;
    std::string pointer;
  };

  void compare_messages(const Pair& pair) {
    const auto was = was_.messages.find(pair.was);
    const auto is = is_.messages.find(pair.is);
    if (was == was_.messages.end() || is == is_.messages.end()) {
      if (pair.was == pair.is) return;  // a well-known type, here as there
      report(pair.pointer, ChangeKind::type_changed, true, fmt::format("was {}, is {}", pair.was, pair.is));
      return;
    }
    for (const ProtoField& field : was->second) compare_field(field, is->second, pair.pointer);
    for (const ProtoField& field : is->second) {
      const auto same = [&](const ProtoField& f) { return f.name == field.name || f.number == field.number; };
      if (std::ranges::any_of(was->second, same)) continue;
      const bool required = field.label == "required";
      report(
          pointer_to(pair.pointer, field.name), required ? ChangeKind::required_added : ChangeKind::field_added,
          required,
          fmt::format("field \"{}\" = {} was added{}", field.name, field.number, required ? " and is required" : ""));
    }
  }

  void compare_field(const ProtoField& field, const std::vector<ProtoField>& others, const std::string& pointer) {
    const std::string place = pointer_to(pointer, field.name);
    const auto by_name = std::ranges::find(others, field.name, &ProtoField::name);
    if (by_name == others.end()) {
      const auto by_number = std::ranges::find(others, field.number, &ProtoField::number);
      if (by_number == others.end()) {
        report(place, ChangeKind::field_removed, true, fmt::format("field \"{}\" was removed", field.name));
      } else {
        report(place, ChangeKind::field_renamed, true,
               fmt::format("field \"{}\" = {} is \"{}\" now", field.name, field.number, by_number->name));
      }
      return;
    }
    const ProtoField& other = *by_name;
    if (other.number != field.number) {
      report(place, ChangeKind::number_changed, true,
             fmt::format("field \"{}\" had number {}, has {}", field.name, field.number, other.number));
    }
    if (other.label != field.label) compare_label(field, other, place);
    if (other.type != field.type) {
      report(place, ChangeKind::type_changed, true,
             fmt::format("field \"{}\" was {}, is {}", field.name, field.type, other.type));
    } else if (field.type == "enum") {
      compare_enums(field.of, other.of, place);
    } else if (!field.of.empty()) {
      open_.push_back({field.of, other.of, place});
    }
  }

  void compare_label(const ProtoField& was, const ProtoField& is, const std::string& place) {
    if (was.label == "required" && is.label == "optional") {
      report(place, ChangeKind::required_dropped, false, fmt::format("field \"{}\" is no longer required", was.name));
    } else if (was.label == "optional" && is.label == "required") {
      report(place, ChangeKind::required_added, true, fmt::format("field \"{}\" is required now", was.name));
    } else {
      report(place, ChangeKind::label_changed, true,
             fmt::format("field \"{}\" was {}, is {}", was.name, was.label, is.label));
    }
  }

  void compare_enums(const std::string& was, const std::string& is, const std::string& place) {
    const auto old_enum = was_.enums.find(was);
    const auto new_enum = is_.enums.find(is);
    if (old_enum == was_.enums.end() || new_enum == is_.enums.end()) return;
    for (const auto& [name, number] : old_enum->second) {
      const auto kept = new_enum->second.find(name);
      if (kept == new_enum->second.end()) {
        report(place, ChangeKind::value_removed, true, fmt::format("value {} of {} was removed", name, was));
      } else if (kept->second != number) {
        report(place, ChangeKind::number_changed, true,
               fmt::format("value {} of {} had number {}, has {}", name, was, number, kept->second));
      }
    }
    for (const auto& [name, number] : new_enum->second) {
      if (old_enum->second.contains(name)) continue;
      report(place, ChangeKind::value_added, false, fmt::format("value {} of {} was added", name, is));
    }
  }

  void report(std::string pointer, ChangeKind kind, bool breaking, std::string message) {
    if (result_.changes.size() >= kChangesMax) return;
    result_.changes.push_back({std::move(pointer), kind, breaking, std::move(message)});
  }

  const ProtoShape& was_;
  const ProtoShape& is_;
  Comparison result_;
  std::vector<Pair> open_;
  std::set<std::pair<std::string, std::string>> seen_;
};

}  // namespace

Comparison compare_proto(const ProtoShape& old_shape, const ProtoShape& new_shape) {
  return ProtoComparer(old_shape, new_shape).run();
}

}  // namespace millrace::registry
