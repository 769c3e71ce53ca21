#include "registry/json_example.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "json/escape.h"
#include "json/writer.h"
#include "registry/flat_schema.h"

namespace millrace::registry {
namespace {

using json::Kind;
using json::Value;

// Below it only what is required is shown: an example is to be read.
constexpr std::size_t kOptionalDepthMax = 5;
constexpr std::size_t kDepthMax = 16;

struct FormatSample {
  std::string_view format;
  std::string_view sample;
};
constexpr FormatSample kSamples[] = {
    {"uuid", "550e8400-e29b-41d4-a716-446655440000"},
    {"date-time", "2025-01-02T23:00:00Z"},
    {"date", "2025-01-02"},
    {"time", "23:00:00Z"},
    {"duration", "PT45M"},
    {"email", "someone@example.com"},
    {"uri", "https://example.com/"},
    {"uri-reference", "/items/1"},
    {"hostname", "example.com"},
    {"ipv4", "192.0.2.1"},
    {"ipv6", "2001:db8::1"},
    {"json-pointer", "/items/0"},
};

std::string string_keyword(const FlatSchema& schema, std::string_view keyword) {
  const auto value = schema.find(keyword);
  return value && value->is(Kind::string) ? value->get_string() : std::string();
}

// The letters that a pattern demands at the start: "^te_[0-9]+" → "te_".
std::string literal_start(std::string_view pattern) {
  if (!pattern.starts_with('^')) return {};
  pattern.remove_prefix(1);
  std::size_t end = pattern.find_first_of("\\[](){}.*+?|$^");
  if (end == pattern.npos) end = pattern.size();
  // A quantifier belongs to the letter before it.
  if (end > 0 && end < pattern.size() && std::string_view("*?{").find(pattern[end]) != std::string_view::npos) --end;
  return std::string(pattern.substr(0, end));
}

std::string sample_string(const FlatSchema& schema) {
  const std::string format = string_keyword(schema, "format");
  const auto* known = std::ranges::find(kSamples, format, &FormatSample::format);
  if (known != std::end(kSamples)) return std::string(known->sample);
  std::string text = literal_start(string_keyword(schema, "pattern"));
  text += text.empty() ? "text" : "1";
  const auto bound = [&](std::string_view keyword) -> std::optional<std::size_t> {
    constexpr std::int64_t kShownMax = 200;
    const auto value = schema.find(keyword);
    const auto number = value ? value->as_int64() : std::nullopt;
    return number && *number >= 0 ? std::optional(static_cast<std::size_t>(std::min(*number, kShownMax)))
                                  : std::nullopt;
  };
  if (const auto min = bound("minLength"); min && text.size() < *min) text.resize(*min, 'x');
  if (const auto max = bound("maxLength"); max && text.size() > *max) text.resize(*max);
  return text;
}

// A bound as a number that satisfies it, if the schema has one.
double sample_number(const FlatSchema& schema, bool integer) {
  const auto bound = [&](std::string_view keyword) {
    const auto value = schema.find(keyword);
    return value ? value->as_double() : std::nullopt;
  };
  const double step = integer ? 1 : 0.5;
  if (const auto min = bound("minimum")) return *min;
  if (const auto min = bound("exclusiveMinimum")) return *min + step;
  const auto max = bound("maximum");
  if (max && *max < 1) return *max;
  if (const auto limit = bound("exclusiveMaximum"); limit && *limit <= 1) return *limit - step;
  const auto multiple = bound("multipleOf");
  return multiple ? *multiple : 1;
}

class ExampleMaker {
 public:
  ExampleMaker(Value root, json::Writer& out) : root_(root), out_(out) {}

  void write(Value schema) {
    const auto flat = FlatSchema::of(root_, schema);
    if (write_given(flat)) return;
    open_.push_back(schema.raw().data());
    const auto alternatives = first_alternative(flat);
    if (alternatives && !flat.find("type") && flat.properties().empty() && open_.size() < kDepthMax) {
      write(*alternatives);
    } else {
      write_made_up(flat);
    }
    open_.pop_back();
  }

 private:
  // What the schema itself offers.
  bool write_given(const FlatSchema& flat) {
    for (const std::string_view keyword : {"examples", "enum"}) {
      const auto list = flat.find(keyword);
      if (!list || !list->is(Kind::array) || list->size() == 0) continue;
      out_.compact(*list->elements().begin());
      return true;
    }
    for (const std::string_view keyword : {"const", "default"}) {
      if (const auto value = flat.find(keyword)) {
        out_.compact(*value);
        return true;
      }
    }
    return false;
  }

  static std::optional<Value> first_alternative(const FlatSchema& flat) {
    for (const std::string_view keyword : {"oneOf", "anyOf"}) {
      const auto list = flat.find(keyword);
      if (list && list->is(Kind::array) && list->size() > 0) return *list->elements().begin();
    }
    return std::nullopt;
  }

  void write_made_up(const FlatSchema& flat) {
    const std::string type = type_of(flat);
    if (type == "object") {
      write_object(flat);
    } else if (type == "array") {
      write_array(flat);
    } else if (type == "string") {
      out_.string(sample_string(flat));
    } else if (type == "integer") {
      out_.integer(static_cast<std::int64_t>(std::clamp(sample_number(flat, true), -9e15, 9e15)));
    } else if (type == "number") {
      out_.number(sample_number(flat, false));
    } else if (type == "boolean") {
      out_.boolean(true);
    } else {
      out_.null();
    }
  }

  static std::string type_of(const FlatSchema& flat) {
    for (const std::string& type : flat.types()) {
      if (type != "null") return type;
    }
    if (!flat.types().empty()) return "null";
    if (!flat.properties().empty() || !flat.required().empty()) return "object";
    if (flat.find("items") || flat.find("prefixItems")) return "array";
    return "string";
  }

  // Whether to go on into a subschema: not round in circles, and not deeper than anyone reads.
  bool may_enter(Value schema) const {
    const auto flat = FlatSchema::of(root_, schema);
    const auto target = flat.find("$ref") ? resolve_reference(root_, string_keyword(flat, "$ref")) : std::nullopt;
    const auto is_open = [&](const char* place) {
      return place == schema.raw().data() || (target && place == target->raw().data());
    };
    return open_.size() < kDepthMax && std::ranges::none_of(open_, is_open);
  }

  void write_object(const FlatSchema& flat) {
    const auto required = flat.required();
    out_.begin_object();
    for (const auto& [name, schema] : flat.properties()) {
      const bool wanted = std::ranges::find(required, name) != required.end();
      if (!may_enter(schema) || (!wanted && open_.size() > kOptionalDepthMax)) continue;
      if (schema.is(Kind::boolean) && !schema.get_bool()) continue;
      out_.key(name);
      write(schema);
    }
    out_.end_object();
  }

  void write_array(const FlatSchema& flat) {
    out_.begin_array();
    const auto prefix = flat.find("prefixItems");
    if (prefix && prefix->is(Kind::array)) {
      for (const Value schema : prefix->elements()) write(schema);
    }
    const auto items = flat.find("items");
    if (items && items->is(Kind::object) && may_enter(*items)) {
      constexpr std::int64_t kElementsMax = 5;
      const auto min = flat.find("minItems");
      const std::int64_t count = std::clamp<std::int64_t>(min ? min->as_int64().value_or(1) : 1, 1, kElementsMax);
      for (std::int64_t i = 0; i < count; ++i) write(*items);
    }
    out_.end_array();
  }

  Value root_;
  json::Writer& out_;
  std::vector<const char*> open_;  // where the schemas stand that are being written
};

void append_indented(std::string& out, Value value, std::size_t level) {
  const bool is_object = value.is(Kind::object);
  if ((!is_object && !value.is(Kind::array)) || value.size() == 0) {
    out += value.raw();
    return;
  }
  const auto line = [&](std::size_t depth) { out.append("\n").append(2 * depth, ' '); };
  out += is_object ? '{' : '[';
  const char* separator = "";
  const auto next = [&] {
    out += separator;
    separator = ",";
    line(level + 1);
  };
  if (is_object) {
    for (const auto& [key, member] : value.members()) {
      next();
      out.append(key.raw()).append(": ");
      append_indented(out, member, level + 1);
    }
  } else {
    for (const Value element : value.elements()) {
      next();
      append_indented(out, element, level + 1);
    }
  }
  line(level);
  out += is_object ? '}' : ']';
}

}  // namespace

std::string example_of(Value schema) {
  std::string out;
  json::Writer writer(out);
  ExampleMaker(schema, writer).write(schema);
  return out;
}

std::string indented(Value value) {
  std::string out;
  append_indented(out, value, 0);
  return out;
}

}  // namespace millrace::registry
