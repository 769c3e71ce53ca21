#include "match/compile_condition.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "json/object_reader.h"
#include "match/fold.h"
#include "match/limits.h"

namespace millrace::match {
namespace {

using Compiled = Result<Condition>;

struct Place {
  const std::string& where;
  Dialect dialect;

  bool extended() const { return dialect == Dialect::extended; }
};

std::unexpected<Error> refuse(const Place& place, std::string detail) {
  return fail(Errc::invalid, std::move(detail), place.where);
}

std::unexpected<Error> wrong_kind(const Place& place, json::Value value, std::string_view wanted) {
  return refuse(place, fmt::format("must be {}, not {}", wanted, json::describe(value.kind())));
}

bool beyond_eventbridge(const Decimal& number) {
  static const Decimal kMax(kEventBridgeNumberMax);
  static const Decimal kMin("-" + std::string(kEventBridgeNumberMax));
  return number > kMax || number < kMin;
}

// A number for `numeric` or `anything-but`.
Result<Number> bounded_number(json::Value value, const Place& place) {
  if (!value.is(json::Kind::number)) return wrong_kind(place, value, "a number");
  Number number(value.raw());
  if (!place.extended() && beyond_eventbridge(number.exact)) {
    return refuse(place, fmt::format("{} is outside -{} … {}; the extended dialect takes any number", value.raw(),
                                     kEventBridgeNumberMax, kEventBridgeNumberMax));
  }
  return number;
}

// The only member of an operator's operand, e.g. the ignored case in {"prefix": {"equals-ignore-case": "x"}}.
Result<json::Member> only_member(json::Value object, const Place& place) {
  if (object.size() != 1) {
    return refuse(
        place, fmt::format("must have exactly one operator, not {}; put others beside it in the array", object.size()));
  }
  return *object.members().begin();
}

Compiled compile_text(Shape shape, json::Value value, const Place& place) {
  if (value.is(json::Kind::string)) return Condition{TextTest{shape, false, value.get_string()}};
  if (!value.is(json::Kind::object)) {
    return wrong_kind(place, value, "a string or {\"equals-ignore-case\": \"…\"}");
  }
  const auto inner = only_member(value, place);
  if (!inner) return std::unexpected(inner.error());
  if (!inner->key.equals("equals-ignore-case")) {
    return refuse(place, fmt::format("takes a string or equals-ignore-case, not {}", inner->key.raw()));
  }
  const std::string where = inside(place.where, "equals-ignore-case");
  if (!inner->value.is(json::Kind::string)) return wrong_kind({where, place.dialect}, inner->value, "a string");
  return Condition{TextTest{shape, true, folded(inner->value.get_string())}};
}

Compiled compile_prefix(json::Value value, const Place& place) { return compile_text(Shape::prefix, value, place); }
Compiled compile_suffix(json::Value value, const Place& place) { return compile_text(Shape::suffix, value, place); }

Compiled compile_ignore_case(json::Value value, const Place& place) {
  if (!value.is(json::Kind::string)) return wrong_kind(place, value, "a string");
  return Condition{TextTest{Shape::whole, true, folded(value.get_string())}};
}

Compiled compile_wildcard(json::Value value, const Place& place) {
  if (!value.is(json::Kind::string)) return wrong_kind(place, value, "a string");
  const std::string source = value.get_string();
  Wildcard wildcard{{""}};
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '*') {
      if (i + 1 < source.size() && source[i + 1] == '*') {
        return refuse(place, "has two stars in a row; one matches any text already");
      }
      wildcard.parts.emplace_back();
      continue;
    }
    if (source[i] == '\\') {
      ++i;
      if (i == source.size() || (source[i] != '*' && source[i] != '\\')) {
        return refuse(place, R"(has a \ that escapes neither * nor \; write \* or \\ in the text)");
      }
    }
    wildcard.parts.back().push_back(source[i]);
  }
  return Condition{std::move(wildcard)};
}

struct Term {
  bool low = false;
  bool high = false;
  bool inclusive = true;
};

std::optional<Term> term_of(json::Value word) {
  if (word.equals("=")) return Term{true, true, true};
  if (word.equals(">=")) return Term{true, false, true};
  if (word.equals(">")) return Term{true, false, false};
  if (word.equals("<=")) return Term{false, true, true};
  if (word.equals("<")) return Term{false, true, false};
  return std::nullopt;
}

// Adds one pair of operator and number; the error's place is the element that is wrong.
Result<void> add_term(Interval& interval, json::Value word, json::Value operand, std::size_t at, const Place& place) {
  const std::string word_where = json::element_path(place.where, at);
  const std::string number_where = json::element_path(place.where, at + 1);
  const auto term = term_of(word);
  if (!term) return refuse({word_where, place.dialect}, fmt::format("{} is none of =, <, <=, >, >=", word.raw()));
  const auto number = bounded_number(operand, {number_where, place.dialect});
  if (!number) return std::unexpected(number.error());
  if (at > 0 && (term->low || !interval.low || interval.high)) {
    return refuse({word_where, place.dialect}, "a range is > or >= and a number, then < or <= and a larger one");
  }
  if (term->low) interval.low = Bound{*number, term->inclusive};
  if (term->high) interval.high = Bound{*number, term->inclusive};
  return {};
}

Compiled compile_numeric(json::Value value, const Place& place) {
  if (!value.is(json::Kind::array)) return wrong_kind(place, value, "an array like [\">\", 0, \"<=\", 5]");
  if (value.size() != 2 && value.size() != 4) {
    return refuse(place,
                  fmt::format("must have one or two pairs of operator and number, not {} elements", value.size()));
  }
  std::vector<json::Value> elements;
  for (const json::Value element : value.elements()) elements.push_back(element);
  Interval interval;
  for (std::size_t i = 0; i < elements.size(); i += 2) {
    if (auto added = add_term(interval, elements[i], elements[i + 1], i, place); !added) {
      return std::unexpected(added.error());
    }
  }
  if (elements.size() == 4 && interval.low->number.exact >= interval.high->number.exact) {
    return refuse(place,
                  fmt::format("the lower bound {} must be less than the upper bound {}; one number alone is "
                              "[\"=\",{}]",
                              interval.low->number.source, interval.high->number.source, interval.low->number.source));
  }
  return Condition{RangeTest{std::make_shared<const Interval>(std::move(interval))}};
}

Compiled compile_exists(json::Value value, const Place& place) {
  if (!value.is(json::Kind::boolean)) return wrong_kind(place, value, "true or false");
  if (value.get_bool()) return Condition{Exists{}};
  return Condition{Absent{}};
}

Compiled compile_cidr(json::Value value, const Place& place) {
  if (!value.is(json::Kind::string)) return wrong_kind(place, value, "a string like \"10.0.0.0/8\"");
  auto block = parse_block(value.get_string());
  if (!block) return refuse(place, std::move(block.error()));
  if (!place.extended() && block->bits == block->network.bits()) {
    return refuse(
        place, fmt::format("/{0} is a single address; name it as a value, or use the extended dialect", block->bits));
  }
  return Condition{*block};
}

Compiled compile_regex(json::Value value, const Place& place) {
  if (!value.is(json::Kind::string)) return wrong_kind(place, value, "a string");
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kRegexBytesMax);
  auto regex = std::make_shared<const re2::RE2>(value.get_string(), options);
  if (!regex->ok()) return refuse(place, "is no regular expression of RE2: " + regex->error());
  return Condition{RegexTest{std::move(regex)}};
}

Compiled compile_anything_but(json::Value value, const Place& place);

struct Operator {
  std::string_view name;
  Compiled (*compile)(json::Value value, const Place& place);
  bool negatable;  // may stand inside anything-but
  bool extended_only;
};

constexpr std::array kOperators = {
    Operator{"prefix", compile_prefix, true, false},
    Operator{"suffix", compile_suffix, true, false},
    Operator{"equals-ignore-case", compile_ignore_case, true, false},
    Operator{"wildcard", compile_wildcard, true, false},
    Operator{"anything-but", compile_anything_but, false, false},
    Operator{"numeric", compile_numeric, false, false},
    Operator{"exists", compile_exists, false, false},
    Operator{"cidr", compile_cidr, false, false},
    Operator{"regex", compile_regex, true, true},
};

Result<const Operator*> operator_of(json::Value key, const Place& place) {
  const auto* found = std::ranges::find_if(kOperators, [&](const Operator& o) { return key.equals(o.name); });
  if (found == kOperators.end()) {
    return refuse(place, fmt::format("has no operator {}; there are prefix, suffix, equals-ignore-case, wildcard, "
                                     "anything-but, numeric, exists, cidr{}",
                                     key.raw(), place.extended() ? ", regex" : ""));
  }
  if (found->extended_only && !place.extended()) {
    return refuse(place, fmt::format("{} belongs to the extended dialect", found->name));
  }
  return found;
}

Compiled compile_value(json::Value value, const Place& place) {
  switch (value.kind()) {
    case json::Kind::string:
      return Condition{TextTest{Shape::whole, false, value.get_string()}};
    case json::Kind::number:
      return Condition{NumberTest{std::make_shared<const Number>(value.raw())}};
    case json::Kind::boolean:
      return Condition{Constant{value.get_bool() ? "true" : "false"}};
    case json::Kind::null:
      return Condition{Constant{"null"}};
    default:
      return wrong_kind(place, value, "a string, number, true, false, null or an operator");
  }
}

// A plain value that anything-but excludes.
Compiled compile_excluded(json::Value value, const Place& place) {
  if (value.is(json::Kind::number)) {
    if (auto number = bounded_number(value, place); !number) return std::unexpected(number.error());
  } else if (!value.is(json::Kind::string) && !place.extended()) {
    return wrong_kind(place, value, "a string or a number");
  }
  return compile_value(value, place);
}

// What stands in {"anything-but": {"prefix": …}}: one operand of the operator or an array of them.
Result<AnythingBut> excluded_operands(json::Value object, const Place& place) {
  const auto inner = only_member(object, place);
  if (!inner) return std::unexpected(inner.error());
  const auto found = operator_of(inner->key, place);
  if (!found) return std::unexpected(found.error());
  if (!(*found)->negatable) return refuse(place, fmt::format("cannot negate {}", (*found)->name));
  const std::string where = inside(place.where, (*found)->name);

  AnythingBut result;
  const auto add = [&](json::Value operand, const std::string& at) -> Result<void> {
    if (!place.extended() && !operand.is(json::Kind::string))
      return wrong_kind({at, place.dialect}, operand, "a string");
    if (!place.extended() && operand.equals("")) return refuse({at, place.dialect}, "must not be empty");
    auto condition = (*found)->compile(operand, {at, place.dialect});
    if (!condition) return std::unexpected(condition.error());
    result.excluded.push_back(std::move(*condition));
    return {};
  };
  if (!inner->value.is(json::Kind::array)) {
    if (auto added = add(inner->value, where); !added) return std::unexpected(added.error());
    return result;
  }
  if (inner->value.size() == 0) return refuse({where, place.dialect}, "must not be empty");
  for (const json::Value operand : inner->value.elements()) {
    if (auto added = add(operand, json::element_path(where, result.excluded.size())); !added) {
      return std::unexpected(added.error());
    }
  }
  return result;
}

Result<AnythingBut> excluded_list(json::Value array, const Place& place) {
  if (array.size() == 0) return refuse(place, "must not be empty");
  AnythingBut result;
  const json::Kind first = (*array.elements().begin()).kind();
  for (const json::Value value : array.elements()) {
    const std::string where = json::element_path(place.where, result.excluded.size());
    if (!place.extended() && value.kind() != first) {
      return refuse({where, place.dialect}, "the values must be all strings or all numbers");
    }
    auto condition = compile_excluded(value, {where, place.dialect});
    if (!condition) return std::unexpected(condition.error());
    result.excluded.push_back(std::move(*condition));
  }
  return result;
}

Compiled compile_anything_but(json::Value value, const Place& place) {
  if (value.is(json::Kind::object) || value.is(json::Kind::array)) {
    auto test = value.is(json::Kind::object) ? excluded_operands(value, place) : excluded_list(value, place);
    if (!test) return std::unexpected(std::move(test.error()));
    return Condition{std::move(*test)};
  }
  auto excluded = compile_excluded(value, place);
  if (!excluded) return excluded;
  AnythingBut test;
  test.excluded.push_back(std::move(*excluded));
  return Condition{std::move(test)};
}

}  // namespace

Result<Condition> compile_condition(json::Value value, const std::string& where, Dialect dialect) {
  const Place place{where, dialect};
  if (!value.is(json::Kind::object)) return compile_value(value, place);
  const auto entry = only_member(value, place);
  if (!entry) return std::unexpected(entry.error());
  const auto found = operator_of(entry->key, place);
  if (!found) return std::unexpected(found.error());
  const std::string inner = inside(where, (*found)->name);
  return (*found)->compile(entry->value, {inner, dialect});
}

bool is_operator(std::string_view name) {
  return std::ranges::any_of(kOperators, [&](const Operator& o) { return o.name == name && !o.extended_only; });
}

std::string inside(const std::string& where, std::string_view key) {
  return where.empty() ? std::string(key) : fmt::format("{}.{}", where, key);
}

}  // namespace millrace::match
