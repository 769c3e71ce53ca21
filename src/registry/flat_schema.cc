#include "registry/flat_schema.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "json/compact.h"
#include "json/escape.h"
#include "registry/json_schema/number.h"

namespace millrace::registry {
namespace {

using json::Kind;
using json::Value;

// Longer chains of references and allOf than any schema that people write.
constexpr int kGatherDepthMax = 32;
// Of what a keyword says with all it refers to; beyond, two schemas are taken to differ.
constexpr std::size_t kExpandedBytesMax = 16 * 1024;

void add_once(std::vector<std::string>& list, std::string text) {
  if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
}

std::string unescape_token(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1')) {
      out += token[++i] == '0' ? '~' : '/';
    } else if (token[i] == '%' && i + 2 < token.size()) {
      unsigned byte = 0;
      const char* end = token.data() + i + 3;
      if (std::from_chars(token.data() + i + 1, end, byte, 16).ptr != end) return std::string(token);
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += token[i];
    }
  }
  return out;
}

std::optional<Value> element_at(Value array, std::string_view token) {
  std::size_t index = 0;
  const char* end = token.data() + token.size();
  if (token.empty() || std::from_chars(token.data(), end, index).ptr != end) return std::nullopt;
  for (const Value element : array.elements()) {
    if (index-- == 0) return element;
  }
  return std::nullopt;
}

std::optional<Value> follow_pointer(Value at, std::string_view pointer) {
  while (!pointer.empty()) {
    if (pointer[0] != '/') return std::nullopt;
    pointer.remove_prefix(1);
    const std::size_t slash = pointer.find('/');
    const std::string token = unescape_token(pointer.substr(0, slash));
    const auto next = at.is(Kind::array) ? element_at(at, token) : at.find(token);
    if (!next) return std::nullopt;
    at = *next;
    pointer = slash == pointer.npos ? std::string_view() : pointer.substr(slash);
  }
  return at;
}

// The subschema that calls itself by this $anchor (or draft-07's "$id": "#name").
std::optional<Value> find_anchor(Value at, std::string_view name) {
  if (at.is(Kind::array)) {
    for (const Value element : at.elements()) {
      if (auto found = find_anchor(element, name)) return found;
    }
  }
  if (!at.is(Kind::object)) return std::nullopt;
  const auto anchor = at.find("$anchor");
  if (anchor && anchor->is(Kind::string) && anchor->equals(name)) return at;
  const auto id = at.find("$id");
  if (id && id->is(Kind::string) && id->equals("#" + std::string(name))) return at;
  for (const auto& [key, value] : at.members()) {
    if (auto found = find_anchor(value, name)) return found;
  }
  return std::nullopt;
}

std::string_view type_name(Value value) {
  switch (value.kind()) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "boolean";
    case Kind::number:
      return json_schema::is_integer(value.raw()) ? "integer" : "number";
    case Kind::string:
      return "string";
    case Kind::array:
      return "array";
    case Kind::object:
      break;
  }
  return "object";
}

void append_canonical(std::string& out, Value value) {
  if (value.is(Kind::array)) {
    out += '[';
    for (const Value element : value.elements()) {
      if (out.back() != '[') out += ',';
      append_canonical(out, element);
    }
    out += ']';
  } else if (value.is(Kind::object)) {
    std::vector<std::pair<std::string, Value>> members;
    for (const auto& [key, member] : value.members()) members.emplace_back(key.get_string(), member);
    std::ranges::sort(members, {}, &std::pair<std::string, Value>::first);
    out += '{';
    for (const auto& [key, member] : members) {
      if (out.back() != '{') out += ',';
      json::append_string(out, key);
      out += ':';
      append_canonical(out, member);
    }
    out += '}';
  } else if (value.is(Kind::string)) {
    json::append_string(out, value.get_string());
  } else if (const auto integer = value.as_int64()) {
    out += fmt::format("{}", *integer);
  } else if (const auto number = value.as_double()) {
    out += fmt::format("{}", *number);
  } else {
    out += value.raw();
  }
}

void find_references(Value at, std::vector<std::string>& out) {
  if (at.is(Kind::array)) {
    for (const Value element : at.elements()) find_references(element, out);
  }
  if (!at.is(Kind::object)) return;
  for (const auto& [key, value] : at.members()) {
    if (key.equals("$ref") && value.is(Kind::string)) out.push_back(value.get_string());
    find_references(value, out);
  }
}

}  // namespace

std::optional<Value> resolve_reference(Value root, std::string_view reference) {
  const auto id = root.find("$id");
  if (id && id->is(Kind::string)) {
    const std::string base = id->get_string();
    if (!base.empty() && reference.starts_with(base)) reference.remove_prefix(base.size());
  }
  if (reference.empty() || reference == "#") return root;
  if (reference[0] != '#') return std::nullopt;
  reference.remove_prefix(1);
  return reference[0] == '/' ? follow_pointer(root, reference) : find_anchor(root, reference);
}

std::string canonical_text(Value value) {
  std::string out;
  append_canonical(out, value);
  return out;
}

std::string pointer_to(std::string_view pointer, std::string_view token) {
  std::string out(pointer);
  out += '/';
  for (const char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

FlatSchema FlatSchema::of(Value root, Value schema) {
  FlatSchema flat(root);
  flat.gather(schema, 0);
  return flat;
}

void FlatSchema::gather(Value schema, int depth) {
  if (schema.is(Kind::boolean)) false_ = false_ || !schema.get_bool();
  if (!schema.is(Kind::object) || depth > kGatherDepthMax) return;
  // A part that is here already came round by a reference; its position in the text is its identity.
  const auto same = [&](Value part) { return part.raw().data() == schema.raw().data(); };
  if (std::ranges::any_of(parts_, same)) return;
  parts_.push_back(schema);
  for (const std::string_view keyword : {"$ref", "$dynamicRef", "$recursiveRef"}) {
    const auto reference = schema.find(keyword);
    if (!reference || !reference->is(Kind::string)) continue;
    const std::string text = reference->get_string();
    if (const auto target = resolve_reference(root_, text)) {
      gather(*target, depth + 1);
    } else {
      add_once(unresolved_, text);
    }
  }
  const auto all_of = schema.find("allOf");
  if (!all_of || !all_of->is(Kind::array)) return;
  for (const Value part : all_of->elements()) gather(part, depth + 1);
}

bool FlatSchema::accepts_everything() const {
  constexpr std::string_view kSayNothing[] = {"$ref",     "allOf",       "$id",      "$schema",   "$anchor",
                                              "$defs",    "title",       "examples", "default",   "definitions",
                                              "$comment", "description", "readOnly", "writeOnly", "deprecated"};
  if (false_ || !unresolved_.empty()) return false;
  return std::ranges::all_of(parts_, [&](Value part) {
    for (const auto& [key, value] : part.members()) {
      if (std::ranges::find(kSayNothing, key.get_string()) == std::end(kSayNothing)) return false;
    }
    return true;
  });
}

std::optional<Value> FlatSchema::find(std::string_view keyword) const {
  for (const Value part : parts_) {
    if (auto value = part.find(keyword)) return value;
  }
  return std::nullopt;
}

std::vector<Value> FlatSchema::all(std::string_view keyword) const {
  std::vector<Value> values;
  for (const Value part : parts_) {
    if (const auto value = part.find(keyword)) values.push_back(*value);
  }
  return values;
}

std::vector<Value> FlatSchema::elements(std::string_view keyword) const {
  std::vector<Value> out;
  const auto list = find(keyword);
  if (!list || !list->is(Kind::array)) return out;
  for (const Value element : list->elements()) out.push_back(element);
  return out;
}

std::vector<std::pair<std::string, std::vector<Value>>> FlatSchema::property_parts() const {
  std::vector<std::pair<std::string, std::vector<Value>>> out;
  absl::flat_hash_map<std::string, std::size_t> places;
  for (const Value object : all("properties")) {
    if (!object.is(Kind::object)) continue;
    for (const auto& [key, schema] : object.members()) {
      const auto [place, added] = places.try_emplace(key.get_string(), out.size());
      if (added) out.emplace_back(place->first, std::vector<Value>());
      out[place->second].second.push_back(schema);
    }
  }
  return out;
}

std::vector<std::pair<std::string, Value>> FlatSchema::properties() const {
  std::vector<std::pair<std::string, Value>> out;
  for (auto& [name, schemas] : property_parts()) out.emplace_back(std::move(name), schemas.front());
  return out;
}

std::string FlatSchema::expanded_text(std::string_view keyword) const {
  std::string out;
  absl::flat_hash_set<std::string> followed;
  std::vector<Value> open = all(keyword);
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (i > 0) out += " and ";
    append_canonical(out, open[i]);
    if (out.size() > kExpandedBytesMax) return fmt::format("{}", static_cast<const void*>(root_.raw().data()));
    std::vector<std::string> references;
    find_references(open[i], references);
    for (std::string& reference : references) {
      const auto target = resolve_reference(root_, reference);
      if (target && followed.insert(std::move(reference)).second) open.push_back(*target);
    }
  }
  return out;
}

std::vector<std::string> FlatSchema::required() const {
  std::vector<std::string> names;
  absl::flat_hash_set<std::string> seen;
  for (const Value list : all("required")) {
    if (!list.is(Kind::array)) continue;
    for (const Value name : list.elements()) {
      if (name.is(Kind::string) && seen.insert(name.get_string()).second) names.push_back(name.get_string());
    }
  }
  return names;
}

std::vector<std::string> FlatSchema::insisted() const {
  std::vector<std::string> names;
  for (const Value part : parts_) {
    const auto required = part.find("required");
    if (!required || !required->is(Kind::array)) continue;
    absl::flat_hash_set<std::string> defaulted;
    if (const auto properties = part.find("properties"); properties && properties->is(Kind::object)) {
      for (const auto& [key, schema] : properties->members()) {
        if (of(root_, schema).find("default")) defaulted.insert(key.get_string());
      }
    }
    for (const Value name : required->elements()) {
      if (name.is(Kind::string) && !defaulted.contains(name.get_string())) names.push_back(name.get_string());
    }
  }
  return names;
}

std::vector<std::string> FlatSchema::types() const {
  std::vector<std::string> names;
  if (const auto type = find("type")) {
    if (type->is(Kind::string)) names.push_back(type->get_string());
    if (type->is(Kind::array)) {
      for (const Value name : type->elements()) {
        if (name.is(Kind::string)) add_once(names, name.get_string());
      }
    }
  } else if (const auto constant = find("const")) {
    names.emplace_back(type_name(*constant));
  } else if (const auto values = find("enum"); values && values->is(Kind::array)) {
    for (const Value value : values->elements()) add_once(names, std::string(type_name(value)));
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace millrace::registry
