// What one value of an event must be. Plain data, made by compile.h, shared by the reference matcher and the
// rule set; immutable afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "json/value.h"
#include "match/address.h"
#include "match/decimal.h"

namespace re2 {
class RE2;
}

namespace millrace::match {

// A value of an event that is neither array nor object. The text is a string's content, or the word or number
// as it stands in the source.
struct Scalar {
  json::Kind kind;
  std::string_view text;
};

// null, true, false.
struct Constant {
  std::string_view word;  // static

  bool operator==(const Constant&) const = default;
};

enum class Shape : std::uint8_t { whole, prefix, suffix };

struct TextTest {
  Shape shape = Shape::whole;
  bool ignore_case = false;
  std::string operand;  // folded if case is ignored

  bool operator==(const TextTest&) const = default;
};

// The literals between the stars, at least one: a*b is {"a", "b"}, *b* is {"", "b", ""}, ab is {"ab"}.
struct Wildcard {
  std::vector<std::string> parts;

  bool operator==(const Wildcard&) const = default;
};

struct Number {
  explicit Number(std::string_view text) : exact(text), nearest(Decimal::nearest(text)), source(text) {}

  Decimal exact;
  double nearest;
  std::string source;
};

struct NumberTest {
  std::shared_ptr<const Number> equal;
};

struct Bound {
  Number number;
  bool inclusive;
};

struct Interval {
  std::optional<Bound> low;
  std::optional<Bound> high;
};

struct RangeTest {
  std::shared_ptr<const Interval> interval;
};

// The whole text, in RE2's syntax.
struct RegexTest {
  std::shared_ptr<const re2::RE2> regex;
};

struct Exists {};
// exists: false. No value meets it; the field must be missing.
struct Absent {};

struct Condition;

// Any value that meets none of these.
struct AnythingBut {
  std::vector<Condition> excluded;
};

struct Condition {
  std::variant<Constant, TextTest, Wildcard, NumberTest, RangeTest, AddressBlock, RegexTest, Exists, Absent,
               AnythingBut>
      test;
};

// As a pattern would say it, e.g. {"prefix":"us-"}; texts whose case is ignored appear in lower case.
std::string describe(const Condition& condition);
// Several of them: "a" or {"prefix":"b"}.
std::string describe(const std::vector<Condition>& any_of);

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};

}  // namespace millrace::match
