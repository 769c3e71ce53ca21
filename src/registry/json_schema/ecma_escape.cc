#include "registry/json_schema/ecma_escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace millrace::registry::json_schema {
namespace {

constexpr std::uint32_t kRepeatCut = 1'000'000;

// White space and line terminators of ECMA-262, and everything else.
constexpr std::string_view kSpace =
    R"(\t\n\x{b}\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff})";
constexpr std::string_view kNotSpace =
    R"(\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e})"
    R"(\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff})";

// General categories by the long names ECMA-262 allows; RE2 knows the short ones.
constexpr auto kCategories = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"Letter", "L"},
    {"Cased_Letter", "Lu}\\p{Ll}\\p{Lt"},
    {"LC", "Lu}\\p{Ll}\\p{Lt"},
    {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"},
    {"Titlecase_Letter", "Lt"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Mark", "M"},
    {"Combining_Mark", "M"},
    {"Nonspacing_Mark", "Mn"},
    {"Spacing_Mark", "Mc"},
    {"Enclosing_Mark", "Me"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Letter_Number", "Nl"},
    {"Other_Number", "No"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Connector_Punctuation", "Pc"},
    {"Dash_Punctuation", "Pd"},
    {"Open_Punctuation", "Ps"},
    {"Close_Punctuation", "Pe"},
    {"Initial_Punctuation", "Pi"},
    {"Final_Punctuation", "Pf"},
    {"Other_Punctuation", "Po"},
    {"Symbol", "S"},
    {"Math_Symbol", "Sm"},
    {"Currency_Symbol", "Sc"},
    {"Modifier_Symbol", "Sk"},
    {"Other_Symbol", "So"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Line_Separator", "Zl"},
    {"Paragraph_Separator", "Zp"},
    {"Other", "C"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Format", "Cf"},
    {"Surrogate", "Cs"},
    {"Private_Use", "Co"},
});

std::unexpected<PatternProblem> malformed(std::string text) {
  return std::unexpected(PatternProblem{std::move(text), false});
}

ClassEscape one(std::uint32_t character) { return {static_cast<char32_t>(character), {}}; }
ClassEscape set_of(std::string_view set) { return {0, std::string(set)}; }

// After \u: four digits, a pair of surrogates, or {digits}.
std::expected<ClassEscape, PatternProblem> read_unicode(PatternInput& input) {
  if (input.skip("{")) {
    const auto digits = input.take_until('}');
    if (!digits || digits->empty() || digits->size() > 6) return malformed("\\u{…} needs a code point");
    PatternInput hex(*digits);
    const auto code = hex.take_hex(static_cast<int>(digits->size()));
    if (!code || *code > 0x10ffff) return malformed("\\u{…} needs a code point");
    return one(*code);
  }
  const auto unit = input.take_hex(4);
  if (!unit) return malformed("\\u needs four hexadecimal digits");
  if (*unit < 0xd800 || *unit > 0xdfff) return one(*unit);
  PatternInput ahead = input;
  if (*unit <= 0xdbff && ahead.skip("\\u")) {
    const auto low = ahead.take_hex(4);
    if (low && *low >= 0xdc00 && *low <= 0xdfff) {
      input = ahead;
      return one(0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00));
    }
  }
  return std::unexpected(PatternProblem{"half a surrogate pair matches nothing in UTF-8", true});
}

bool is_property_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && std::ranges::all_of(name, allowed);
}

// After \p or \P.
std::expected<ClassEscape, PatternProblem> read_property(PatternInput& input, char letter) {
  if (!input.skip("{")) return malformed("\\p needs {…}");
  auto name = input.take_until('}');
  if (!name) return malformed("\\p{ is not closed");
  for (const std::string_view kind : {"General_Category=", "gc=", "Script=", "sc=", "Script_Extensions=", "scx="}) {
    if (name->starts_with(kind)) {
      name->remove_prefix(kind.size());
      break;
    }
  }
  if (!is_property_name(*name)) return malformed("\\p{…} needs the name of a property");
  if (*name == "Any") return set_of(letter == 'p' ? R"(\x{0}-\x{10ffff})" : R"(\P{L}\p{L})");
  if (*name == "ASCII") return set_of(letter == 'p' ? R"(\x{0}-\x{7f})" : R"(\x{80}-\x{10ffff})");
  std::string_view known = *name;
  for (const auto& [long_name, short_name] : kCategories) {
    if (long_name == *name) known = short_name;
  }
  if (letter == 'P' && known.find('}') != known.npos) {
    return std::unexpected(PatternProblem{"\\P{Cased_Letter} is not supported", true});
  }
  return set_of(fmt::format("\\{}{{{}}}", letter, known));
}

bool is_syntax_character(char c) { return std::string_view("^$\\.*+?()[]{}|/").find(c) != std::string_view::npos; }

std::optional<ClassEscape> read_simple(char c) {
  switch (c) {
    case 'd':
      return set_of("0-9");
    case 'D':
      return set_of(R"(\x{0}-/:-\x{10ffff})");
    case 'w':
      return set_of("0-9A-Za-z_");
    case 'W':
      return set_of(R"(\x{0}-/:-@\[-\^`{-\x{10ffff})");
    case 's':
      return set_of(kSpace);
    case 'S':
      return set_of(kNotSpace);
    case 't':
      return one('\t');
    case 'n':
      return one('\n');
    case 'v':
      return one('\v');
    case 'f':
      return one('\f');
    case 'r':
      return one('\r');
    default:
      return std::nullopt;
  }
}

}  // namespace

char PatternInput::take() {
  const char c = rest_.front();
  rest_.remove_prefix(1);
  return c;
}

char32_t PatternInput::take_character() {
  const auto lead = static_cast<unsigned char>(take());
  if (lead < 0x80) return lead;
  const int more = lead >= 0xf0 ? 3 : (lead >= 0xe0 ? 2 : 1);
  char32_t character = lead & (0x3fu >> more);
  for (int i = 0; i < more && !done(); ++i) character = character << 6 | (static_cast<unsigned char>(take()) & 0x3fu);
  return character;
}

bool PatternInput::skip(std::string_view text) {
  if (!rest_.starts_with(text)) return false;
  rest_.remove_prefix(text.size());
  return true;
}

bool PatternInput::skip_name(char end) {
  const auto name = take_until(end);
  return name && !name->empty() && (name->front() < '0' || name->front() > '9');
}

bool PatternInput::peek_repeat() const { return PatternInput(*this).take_repeat().has_value(); }

std::optional<Repeat> PatternInput::take_repeat() {
  PatternInput ahead = *this;
  const auto number = [&]() -> std::optional<std::uint32_t> {
    if (ahead.done() || ahead.peek() < '0' || ahead.peek() > '9') return std::nullopt;
    std::uint32_t n = 0;
    while (!ahead.done() && ahead.peek() >= '0' && ahead.peek() <= '9') {
      n = std::min(n * 10 + static_cast<std::uint32_t>(ahead.take() - '0'), kRepeatCut);
    }
    return n;
  };
  const auto min = number();
  if (!min) return std::nullopt;
  Repeat repeat{*min, min};
  if (ahead.skip(",")) repeat.max = number();
  if (!ahead.skip("}")) return std::nullopt;
  *this = ahead;
  return repeat;
}

std::optional<std::uint32_t> PatternInput::take_hex(int digits) {
  std::uint32_t number = 0;
  for (int i = 0; i < digits; ++i) {
    if (done()) return std::nullopt;
    const char c = take();
    const bool decimal = c >= '0' && c <= '9';
    const char lower = static_cast<char>(c | 0x20);
    if (!decimal && (lower < 'a' || lower > 'f')) return std::nullopt;
    number = number * 16 + static_cast<std::uint32_t>(decimal ? c - '0' : lower - 'a' + 10);
  }
  return number;
}

std::optional<std::string_view> PatternInput::take_until(char end) {
  const auto stop = rest_.find(end);
  if (stop == rest_.npos) return std::nullopt;
  const std::string_view text = rest_.substr(0, stop);
  rest_.remove_prefix(stop + 1);
  return text;
}

std::expected<ClassEscape, PatternProblem> read_class_escape(PatternInput& input) {
  const char c = input.take();
  if (auto simple = read_simple(c)) return *std::move(simple);
  switch (c) {
    case 'p':
    case 'P':
      return read_property(input, c);
    case 'u':
      return read_unicode(input);
    case 'x': {
      const auto code = input.take_hex(2);
      if (!code) return malformed("\\x needs two hexadecimal digits");
      return one(*code);
    }
    case 'c': {
      const char letter = input.done() ? '\0' : input.take();
      const char lower = static_cast<char>(letter | 0x20);
      if (lower < 'a' || lower > 'z') return malformed("\\c needs a letter");
      return one(static_cast<std::uint32_t>(letter & 0x1f));
    }
    case '0':
      if (!input.done() && input.peek() >= '0' && input.peek() <= '9') return malformed("octal escapes do not exist");
      return one(0);
    default:
      break;
  }
  const bool letter_or_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  // Strictly only syntax characters may be escaped; patterns for other engines escape more, which is harmless.
  if (is_syntax_character(c) || (!letter_or_digit && static_cast<unsigned char>(c) < 0x80)) {
    return one(static_cast<unsigned char>(c));
  }
  return malformed(fmt::format("'\\{}' is no escape of ECMA-262", static_cast<unsigned char>(c) < 0x80 ? c : '?'));
}

void append_character(std::string& out, char32_t character) {
  const bool plain = (character >= '0' && character <= '9') || (character >= 'a' && character <= 'z') ||
                     (character >= 'A' && character <= 'Z') || character == '_' || character == ' ';
  if (plain) {
    out.push_back(static_cast<char>(character));
  } else {
    out.append(fmt::format("\\x{{{:x}}}", static_cast<std::uint32_t>(character)));
  }
}

}  // namespace millrace::registry::json_schema
