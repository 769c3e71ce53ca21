#include "registry/json_schema/ecma_pattern.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "registry/json_schema/ecma_escape.h"

namespace millrace::registry::json_schema {
namespace {

// Groups inside each other; RE2 itself stops at 1000.
constexpr int kGroupDepthMax = 200;
constexpr std::uint32_t kRepeatMax = 1000;  // RE2's own bound

// ECMA's line terminators, which a dot does not match.
constexpr std::string_view kDot = R"([^\n\r\x{2028}\x{2029}])";
constexpr std::string_view kNothing = R"([^\x{0}-\x{10ffff}])";
constexpr std::string_view kAnything = R"([\x{0}-\x{10ffff}])";

class Translator {
 public:
  explicit Translator(std::string_view source) : input_(source) {}

  Translation run() {
    while (!failed() && !input_.done()) read_term();
    if (!failed() && depth_ > 0) fail("a group is not closed with ')'");
    if (failed()) return {verdict_, {}, std::move(problem_)};
    return {Translation::Verdict::translated, std::move(out_), {}};
  }

 private:
  bool failed() const { return verdict_ != Translation::Verdict::translated; }
  void fail(std::string problem, Translation::Verdict verdict = Translation::Verdict::malformed) {
    // What is malformed is so whatever else is unsupported.
    if (failed()) return;
    verdict_ = verdict;
    problem_ = std::move(problem);
  }
  void fail(PatternProblem problem) {
    fail(std::move(problem.text),
         problem.unsupported ? Translation::Verdict::unsupported : Translation::Verdict::malformed);
  }

  void read_term() {
    const char c = input_.peek();
    switch (c) {
      case '^':
      case '$':
        input_.take();
        out_.append(c == '^' ? "\\A" : "\\z");
        quantifiable_ = false;
        return;
      case '|':
        input_.take();
        out_.push_back('|');
        quantifiable_ = false;
        return;
      case '(':
        return open_group();
      case ')':
        return close_group();
      case '*':
      case '+':
      case '?':
      case '{':
        return read_quantifier();
      case '.':
        input_.take();
        return append_atom(kDot);
      case '[':
        return read_class();
      case '\\':
        return read_escape();
      default:
        append_character(out_, input_.take_character());
        quantifiable_ = true;
    }
  }

  void append_atom(std::string_view atom) {
    out_.append(atom);
    quantifiable_ = true;
  }

  void open_group() {
    input_.take();
    if (input_.skip("?=") || input_.skip("?!") || input_.skip("?<=") || input_.skip("?<!")) {
      return fail("lookahead and lookbehind are not supported; write the condition as another pattern in allOf or not",
                  Translation::Verdict::unsupported);
    }
    if (input_.skip("?<")) {
      if (!input_.skip_name('>')) return fail("a named group needs a name and '>'");
    } else if (!input_.skip("?:") && input_.starts_with('?')) {
      return fail("'(?' must be followed by ':', '=', '!' or '<'");
    }
    if (++depth_ > kGroupDepthMax) {
      return fail("groups are nested too deeply", Translation::Verdict::unsupported);
    }
    // Nothing is captured: only whether it matches counts.
    out_.append("(?:");
    quantifiable_ = false;
  }

  void close_group() {
    input_.take();
    if (depth_ == 0) return fail("')' closes no group");
    --depth_;
    out_.push_back(')');
    quantifiable_ = true;
  }

  void read_quantifier() {
    const char c = input_.take();
    if (!quantifiable_) {
      // A brace that cannot repeat anything stands for itself, as in the language's web legacy.
      if (c == '{' && !input_.peek_repeat()) return append_atom("\\{");
      return fail(fmt::format("'{}' has nothing to repeat", c));
    }
    if (c == '{') {
      const auto repeat = input_.take_repeat();
      if (!repeat) return append_atom("\\{");
      if (repeat->max && *repeat->max < repeat->min) return fail("a repetition's numbers are out of order");
      if (repeat->min > kRepeatMax || repeat->max.value_or(0) > kRepeatMax) {
        return fail(
            fmt::format("a repetition of more than {} is not supported; use minLength and maxLength", kRepeatMax),
            Translation::Verdict::unsupported);
      }
      append_repeat(*repeat);
    } else {
      out_.push_back(c);
    }
    if (input_.starts_with('?')) input_.take();  // lazy or greedy: the same texts match
    quantifiable_ = false;
  }

  void append_repeat(const Repeat& repeat) {
    if (!repeat.max) {
      out_.append(fmt::format("{{{},}}", repeat.min));
    } else {
      out_.append(fmt::format("{{{},{}}}", repeat.min, *repeat.max));
    }
  }

  void read_escape() {
    input_.take();
    if (input_.done()) return fail("'\\' stands at the end");
    if (input_.starts_with('b') || input_.starts_with('B')) {
      out_.push_back('\\');
      out_.push_back(input_.take());
      quantifiable_ = false;
      return;
    }
    if ((input_.peek() >= '1' && input_.peek() <= '9') || input_.starts_with('k')) {
      return fail("backreferences are not supported", Translation::Verdict::unsupported);
    }
    auto escape = read_class_escape(input_);
    if (!escape) return fail(std::move(escape.error()));
    if (escape->is_set()) return append_atom("[" + escape->set + "]");
    append_character(out_, escape->character);
    quantifiable_ = true;
  }

  // One side of a range, or a set such as \d.
  std::expected<ClassEscape, PatternProblem> read_class_atom() {
    if (!input_.starts_with('\\')) return ClassEscape{input_.take_character(), {}};
    input_.take();
    if (input_.done()) return std::unexpected(PatternProblem{"'\\' stands at the end"});
    if (input_.starts_with('b')) {
      input_.take();
      return ClassEscape{U'\b', {}};
    }
    if (input_.starts_with('-')) {
      input_.take();
      return ClassEscape{U'-', {}};
    }
    return read_class_escape(input_);
  }

  void read_class() {
    input_.take();
    const bool negated = input_.skip("^");
    std::string items;
    while (!input_.done() && !input_.starts_with(']')) {
      auto from = read_class_atom();
      if (!from) return fail(std::move(from.error()));
      if (!read_range(*from, items)) return;
    }
    if (input_.done()) return fail("a class is not closed with ']'");
    input_.take();
    if (items.empty()) return append_atom(negated ? kAnything : kNothing);
    append_atom((negated ? "[^" : "[") + items + "]");
  }

  // Appends the atom, and what follows it up to the end of its range if it begins one.
  bool read_range(const ClassEscape& from, std::string& items) {
    if (from.is_set()) {
      items.append(from.set);
      return true;
    }
    append_character(items, from.character);
    if (!input_.starts_with('-') || input_.starts_with("-]")) return true;
    input_.take();
    if (input_.done()) return true;  // the class is not closed; told by the caller
    auto to = read_class_atom();
    if (!to) return fail(std::move(to.error())), false;
    if (to->is_set()) {
      items.append("\\-").append(to->set);
      return true;
    }
    if (to->character < from.character) return fail("a range in a class is out of order"), false;
    items.push_back('-');
    append_character(items, to->character);
    return true;
  }

  PatternInput input_;
  std::string out_;
  int depth_ = 0;
  bool quantifiable_ = false;  // whether what was written last can be repeated
  Translation::Verdict verdict_ = Translation::Verdict::translated;
  std::string problem_;
};

}  // namespace

Translation translate_ecma(std::string_view source) { return Translator(source).run(); }

}  // namespace millrace::registry::json_schema
