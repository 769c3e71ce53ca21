// The structure of a protobuf message in JSON: which fields there are, and what kind of value each takes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "registry/bounds.h"
#include "registry/flat_schema.h"
#include "registry/proto_shape.h"

namespace millrace::registry {
namespace {

using json::Kind;
using json::Value;

struct Scalar {
  std::string_view type;
  std::array<Kind, 2> kinds;
  std::string_view expected;
};
constexpr std::array kInteger{Kind::number, Kind::string};
constexpr Scalar kScalars[] = {
    {"string", {Kind::string, Kind::string}, "a string"},
    {"bytes", {Kind::string, Kind::string}, "base64 in a string"},
    {"bool", {Kind::boolean, Kind::boolean}, "true or false"},
    {"double", kInteger, "a number"},
    {"float", kInteger, "a number"},
    {"int32", kInteger, "an integer"},
    {"sint32", kInteger, "an integer"},
    {"sfixed32", kInteger, "an integer"},
    {"uint32", kInteger, "an integer"},
    {"fixed32", kInteger, "an integer"},
    {"int64", kInteger, "an integer"},
    {"sint64", kInteger, "an integer"},
    {"sfixed64", kInteger, "an integer"},
    {"uint64", kInteger, "an integer"},
    {"fixed64", kInteger, "an integer"},
};

// Well-known types whose JSON is always of one kind.
struct WellKnown {
  std::string_view name;
  Kind kind;
};
constexpr WellKnown kWellKnown[] = {
    {"google.protobuf.Timestamp", Kind::string}, {"google.protobuf.Duration", Kind::string},
    {"google.protobuf.FieldMask", Kind::string}, {"google.protobuf.Struct", Kind::object},
    {"google.protobuf.ListValue", Kind::array},  {"google.protobuf.Any", Kind::object},
    {"google.protobuf.Empty", Kind::object},
};

// Well-known messages that are one scalar in JSON.
struct Wrapper {
  std::string_view name;
  std::string_view type;
};
constexpr Wrapper kWrappers[] = {
    {"google.protobuf.StringValue", "string"}, {"google.protobuf.BytesValue", "bytes"},
    {"google.protobuf.BoolValue", "bool"},     {"google.protobuf.DoubleValue", "double"},
    {"google.protobuf.FloatValue", "float"},   {"google.protobuf.Int32Value", "int32"},
    {"google.protobuf.UInt32Value", "uint32"}, {"google.protobuf.Int64Value", "int64"},
    {"google.protobuf.UInt64Value", "uint64"},
};

// The type of the scalar that stands for the field in JSON; empty for other messages.
std::string_view scalar_type(const ProtoField& field) {
  if (field.type != "message") return field.type;
  const auto* wrapper = std::ranges::find(kWrappers, field.of, &Wrapper::name);
  return wrapper == std::end(kWrappers) ? std::string_view() : wrapper->type;
}

// Values that are judged one by one when a payload is refused; some 20 µs each.
constexpr std::size_t kValuesJudgedMax = 1000;

// Whether libprotobuf may refuse a value that has the shape.
bool is_for_judge(Value value, const ProtoField& field) {
  constexpr std::string_view kPlain[] = {"string", "bool", "enum"};
  const std::string_view type = scalar_type(field);
  if (type.empty()) return std::ranges::find(kWellKnown, field.of, &WellKnown::name) != std::end(kWellKnown);
  if (std::ranges::find(kPlain, type) != std::end(kPlain)) return false;
  return value.is(Kind::string) || !type.ends_with("32");
}

class ShapeCheck {
 public:
  explicit ShapeCheck(const ProtoShape& shape, const ProtoJudge* judge = nullptr) : shape_(shape), judge_(judge) {}

  void message(Value value, const std::string& name, const std::string& pointer);
  std::vector<Violation> take() { return std::move(violations_); }

 private:
  // Where a value stands: a field of a message, in a map under a key.
  struct Setting {
    const std::string& message;
    const ProtoField& field;
    std::string_view key = {};  // as JSON
  };

  void field(Value value, const std::string& message, const ProtoField& field, const std::string& pointer);
  void single(Value value, const ProtoField& field, const Setting& setting, const std::string& pointer);
  void judge(Value value, const Setting& setting, const std::string& pointer);
  void check_scalar(Value value, const Scalar& scalar, const std::string& pointer);
  void enumerator(Value value, const ProtoField& field, const std::string& pointer);
  void map_entries(Value value, const std::string& message, const ProtoField& field, const std::string& pointer);
  // Whether the value is of this kind; says so if not.
  bool expect(Value value, Kind kind, const std::string& pointer);

  void report(const std::string& pointer, std::string message) {
    if (violations_.size() < kViolationsMax) violations_.push_back({pointer, std::move(message)});
  }

  const ProtoShape& shape_;
  const ProtoJudge* judge_;  // null: the shape alone
  std::size_t judged_ = 0;
  std::vector<Violation> violations_;
};

bool ShapeCheck::expect(Value value, Kind kind, const std::string& pointer) {
  if (value.is(kind)) return true;
  report(pointer, fmt::format("must be {}, but it is {}", json::describe(kind), json::describe(value.kind())));
  return false;
}

void ShapeCheck::message(Value value, const std::string& name, const std::string& pointer) {
  if (!expect(value, Kind::object, pointer)) return;
  const auto& fields = shape_.messages.at(name);
  std::vector<const ProtoField*> seen;
  for (const auto& [key, member] : value.members()) {
    const std::string text = key.get_string();
    const std::string place = pointer_to(pointer, text);
    const auto found =
        std::ranges::find_if(fields, [&](const auto& f) { return f.name == text || f.text_name == text; });
    if (found == fields.end()) {
      report(place, fmt::format("{} has no such field", name));
      continue;
    }
    const bool twice = std::ranges::find(seen, &*found) != seen.end();
    if (twice) report(place, fmt::format("is the field \"{}\", which is there already", found->name));
    seen.push_back(&*found);
    if (!member.is(Kind::null)) field(member, name, *found, place);
  }
  for (const ProtoField& wanted : fields) {
    if (wanted.label == "required" && std::ranges::find(seen, &wanted) == seen.end()) {
      report(pointer, fmt::format("the required field \"{}\" is missing", wanted.name));
    }
  }
  for (const ProtoField* one : seen) {
    const auto other = std::ranges::find_if(
        seen, [&](const ProtoField* f) { return f != one && !f->oneof.empty() && f->oneof == one->oneof; });
    if (other == seen.end() || *other < one) continue;
    report(pointer, fmt::format("\"{}\" and \"{}\" exclude each other", one->name, (*other)->name));
  }
}

void ShapeCheck::field(Value value, const std::string& message, const ProtoField& field, const std::string& pointer) {
  const Setting setting{message, field};
  if (field.label == "map") {
    map_entries(value, message, field, pointer);
  } else if (field.label != "repeated") {
    single(value, field, setting, pointer);
  } else if (expect(value, Kind::array, pointer)) {
    std::size_t index = 0;
    for (const Value element : value.elements()) {
      single(element, field, setting, pointer_to(pointer, fmt::to_string(index++)));
    }
  }
}

void ShapeCheck::map_entries(Value value, const std::string& message, const ProtoField& field,
                             const std::string& pointer) {
  if (!expect(value, Kind::object, pointer)) return;
  // A map is a repeated message of two fields, key and value.
  const auto& entry = shape_.messages.at(field.of);
  const auto content = std::ranges::find(entry, 2, &ProtoField::number);
  const bool free_keys = std::ranges::find(entry, 1, &ProtoField::number)->type == "string";
  for (const auto& [key, member] : value.members()) {
    const Setting setting{message, field, key.raw()};
    const std::string place = pointer_to(pointer, key.get_string());
    const std::size_t before = violations_.size();
    single(member, *content, setting, place);
    const bool judged = free_keys || is_for_judge(member, *content);
    if (violations_.size() == before && !judged) judge(member, setting, place);
  }
}

void ShapeCheck::single(Value value, const ProtoField& field, const Setting& setting, const std::string& pointer) {
  const std::size_t before = violations_.size();
  if (field.type == "enum") {
    enumerator(value, field, pointer);
    return;
  }
  const auto* known = std::ranges::find(kWellKnown, field.of, &WellKnown::name);
  if (known != std::end(kWellKnown)) expect(value, known->kind, pointer);
  if (shape_.messages.contains(field.of)) message(value, field.of, pointer);
  const auto* scalar = std::ranges::find(kScalars, scalar_type(field), &Scalar::type);
  if (scalar != std::end(kScalars)) check_scalar(value, *scalar, pointer);
  if (violations_.size() == before && is_for_judge(value, field)) judge(value, setting, pointer);
}

void ShapeCheck::judge(Value value, const Setting& setting, const std::string& pointer) {
  if (judge_ == nullptr || judged_ == kValuesJudgedMax || violations_.size() == kViolationsMax) return;
  const auto& fields = shape_.messages.at(setting.message);
  if (std::ranges::find(fields, "required", &ProtoField::label) != fields.end()) return;
  ++judged_;
  std::string alone(value.raw());
  if (!setting.key.empty()) alone = fmt::format("{{{}:{}}}", setting.key, alone);
  if (setting.field.label == "repeated") alone = fmt::format("[{}]", alone);
  std::string why = (*judge_)(setting.message, fmt::format("{{\"{}\":{}}}", setting.field.text_name, alone));
  if (!why.empty()) report(pointer, std::move(why));
}

void ShapeCheck::check_scalar(Value value, const Scalar& scalar, const std::string& pointer) {
  if (std::ranges::find(scalar.kinds, value.kind()) == scalar.kinds.end()) {
    report(pointer, fmt::format("must be {}, but it is {}", scalar.expected, json::describe(value.kind())));
    return;
  }
  // Strings and what has 64 bits are for libprotobuf to judge.
  if (!value.is(Kind::number) || !scalar.type.ends_with("32")) return;
  const bool is_unsigned = scalar.type == "uint32" || scalar.type == "fixed32";
  const std::int64_t min = is_unsigned ? 0 : std::numeric_limits<std::int32_t>::min();
  const std::int64_t max =
      is_unsigned ? std::numeric_limits<std::uint32_t>::max() : std::numeric_limits<std::int32_t>::max();
  const auto integer = value.as_int64();
  if (integer && *integer >= min && *integer <= max) return;
  report(pointer, fmt::format("must be an integer from {} to {}, but it is {}", min, max, value.raw()));
}

void ShapeCheck::enumerator(Value value, const ProtoField& field, const std::string& pointer) {
  if (field.of == "google.protobuf.NullValue") return;
  const auto& values = shape_.enums.at(field.of);
  if (value.is(Kind::number) && value.as_int64()) return;
  if (value.is(Kind::string) && values.contains(value.get_string())) return;
  report(pointer, fmt::format("must be a value of {}, but it is {}", field.of, value.raw().substr(0, 100)));
}

}  // namespace

std::vector<Violation> check_shape(const ProtoShape& shape, Value payload) {
  ShapeCheck check(shape);
  check.message(payload, shape.root, "");
  return check.take();
}

std::vector<Violation> check_values(const ProtoShape& shape, Value payload, const ProtoJudge& judge) {
  ShapeCheck check(shape, &judge);
  check.message(payload, shape.root, "");
  return check.take();
}

}  // namespace millrace::registry
