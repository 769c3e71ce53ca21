#include "json/scanner.h"

#include <fmt/format.h>

#include <utility>

#include "json/duplicate_key.h"
#include "json/escape.h"
#include "json/scan.h"

namespace millrace::json {
namespace {

constexpr std::uint32_t kNoNode = ~std::uint32_t{0};
// Longer keys are not repeated in a message.
constexpr std::size_t kQuotedKeyBytesMax = 100;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The byte as a message shows it.
std::string describe_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte == '\'') return "a single quote";
  if (byte > 0x20 && byte < 0x7f) return fmt::format("'{}'", c);
  return fmt::format("the byte 0x{:02x}", byte);
}

// One pass over one text. Functions take the place to read from and return the place after what they
// read, or nullptr once refuse() has said why.
class Scanner {
 public:
  Scanner(std::string_view text, int depth_max, std::vector<Node>& nodes)
      : begin_(text.data()), end_(begin_ + text.size()), depth_max_(depth_max), nodes_(nodes), last_space_(begin_) {}

  std::optional<Refusal> run();

 private:
  const char* value(const char* p);
  const char* scalar(const char* p);
  const char* string(const char* p);
  const char* escape(const char* p);
  const char* unicode_escape(const char* p);
  const char* number(const char* p);
  const char* digits(const char* p);
  const char* literal(const char* p, std::string_view word, Kind kind);
  const char* key(const char* p);
  const char* open(const char* p);
  const char* close(const char* p);
  const char* next_value(const char* p);

  const char* skip_space(const char* p) {
    if (p != end_ && static_cast<unsigned char>(*p) > ' ') return p;
    const char* const stop = space_end(p, end_);
    if (stop != p) last_space_ = stop;
    return stop;
  }
  bool at(const char* p, char wanted) const { return p != end_ && *p == wanted; }
  std::uint32_t offset(const char* p) const { return static_cast<std::uint32_t>(p - begin_); }
  // Filled in place: a Node built aside and copied stalls on the way from small stores to one wide load.
  void add(const char* from, std::uint32_t length, std::uint32_t span, std::uint32_t bits) {
    Node& node = nodes_.emplace_back();
    node.begin = offset(from);
    node.length = length;
    node.span = span;
    node.bits = bits;
  }
  void add_scalar(Kind kind, const char* from, const char* to, std::uint32_t flags = 0) {
    add(from, static_cast<std::uint32_t>(to - from), 1, std::to_underlying(kind) | flags);
  }

  // Kept out of the way of the hot loop; all return nullptr.
  [[gnu::cold, gnu::noinline]] const char* refuse(const char* at, std::string_view message);
  [[gnu::cold, gnu::noinline]] const char* refuse_depth(const char* at);
  [[gnu::cold, gnu::noinline]] const char* refuse_control(const char* at);
  [[gnu::cold, gnu::noinline]] const char* refuse_escape(const char* at);
  [[gnu::cold, gnu::noinline]] const char* refuse_duplicate(const Node& key);
  [[gnu::cold, gnu::noinline]] const char* expected(const char* at, std::string_view what);

  const char* const begin_;
  const char* const end_;
  const int depth_max_;
  std::vector<Node>& nodes_;
  std::uint32_t open_ = kNoNode;  // the innermost container that is not closed yet
  char closer_ = 0;               // the bracket that ends it
  int depth_ = 0;
  const char* last_space_;  // end of the last whitespace between tokens
  Refusal refusal_;
};

const char* Scanner::refuse(const char* at, std::string_view message) {
  refusal_ = {static_cast<std::size_t>(at - begin_), std::string(message)};
  return nullptr;
}

const char* Scanner::refuse_depth(const char* at) {
  return refuse(at, fmt::format("arrays and objects may be nested {} deep at most", depth_max_));
}

const char* Scanner::refuse_control(const char* at) {
  return refuse(at, fmt::format("{} must be escaped in a string", describe_byte(*at)));
}

const char* Scanner::refuse_escape(const char* at) {
  return refuse(at, fmt::format("a backslash and {} are no escape", describe_byte(at[1])));
}

const char* Scanner::expected(const char* at, std::string_view what) {
  if (at == end_) return refuse(at, fmt::format("expected {}, but the text ends", what));
  return refuse(at, fmt::format("expected {}, found {}", what, describe_byte(*at)));
}

std::optional<Refusal> Scanner::run() {
  const char* p = skip_space(begin_);
  do {
    p = value(p);
    if (p != nullptr) p = next_value(p);
  } while (p != nullptr && open_ != kNoNode);
  if (p == nullptr) return std::move(refusal_);
  p = skip_space(p);
  if (p == end_) return std::nullopt;
  expected(p, "the end of the text");
  return std::move(refusal_);
}

// Reads down to the first value that is complete in itself: a scalar or an empty container.
const char* Scanner::value(const char* p) {
  while (p != end_ && (*p == '{' || *p == '[')) {
    p = open(p);
    if (p == nullptr) return nullptr;
    if (at(p, closer_)) return close(p);
    if (closer_ == '}') p = key(p);
    if (p == nullptr) return nullptr;
  }
  return scalar(p);
}

// After a complete value: closes the containers that end with it and stops before the next one.
const char* Scanner::next_value(const char* p) {
  while (open_ != kNoNode) {
    ++nodes_[open_].length;
    p = skip_space(p);
    if (at(p, ',')) {
      p = skip_space(p + 1);
      return closer_ == '}' ? key(p) : p;
    }
    if (!at(p, closer_)) return expected(p, closer_ == '}' ? "',' or '}'" : "',' or ']'");
    p = close(p);
    if (p == nullptr) return nullptr;
  }
  return p;
}

const char* Scanner::open(const char* p) {
  if (++depth_ > depth_max_) return refuse_depth(p);
  const bool object = *p == '{';
  add(p, 0, open_, std::to_underlying(object ? Kind::object : Kind::array));
  open_ = static_cast<std::uint32_t>(nodes_.size() - 1);
  closer_ = object ? '}' : ']';
  return skip_space(p + 1);
}

const char* Scanner::close(const char* p) {
  Node& container = nodes_[open_];
  const char* const from = begin_ + container.begin;
  const std::uint32_t parent = container.span;
  container.bits |= container.length << Node::kCountShift | (last_space_ > from ? Node::kSpaced : 0);
  container.length = static_cast<std::uint32_t>(p + 1 - from);
  container.span = static_cast<std::uint32_t>(nodes_.size() - open_);
  if (closer_ == '}') {
    if (const Node* const twice = find_duplicate_key(&container, begin_)) return refuse_duplicate(*twice);
  }
  --depth_;
  open_ = parent;
  closer_ = parent != kNoNode && nodes_[parent].bits == std::to_underlying(Kind::object) ? '}' : ']';
  return p + 1;
}

const char* Scanner::refuse_duplicate(const Node& key) {
  const std::string_view source(begin_ + key.begin, key.length);
  if (source.size() > kQuotedKeyBytesMax) return refuse(source.data(), "this key appears twice in one object");
  return refuse(source.data(), fmt::format("the key {} appears twice in one object", source));
}

// A key and its colon; stops before the value.
const char* Scanner::key(const char* p) {
  if (!at(p, '"')) return expected(p, "a key in double quotes");
  p = string(p);
  if (p == nullptr) return nullptr;
  p = skip_space(p);
  if (!at(p, ':')) return expected(p, "':' after the key");
  return skip_space(p + 1);
}

const char* Scanner::scalar(const char* p) {
  if (p == end_) return expected(p, "a value");
  switch (*p) {
    case '"':
      return string(p);
    case 't':
      return literal(p, "true", Kind::boolean);
    case 'f':
      return literal(p, "false", Kind::boolean);
    case 'n':
      return literal(p, "null", Kind::null);
    default:
      break;
  }
  if (*p == '-' || is_digit(*p)) return number(p);
  return expected(p, "a value");
}

const char* Scanner::string(const char* const from) {
  std::uint32_t flags = 0;
  const char* p = from + 1;
  for (;;) {
    p = plain_end(p, end_);
    if (p == end_) return refuse(p, "the text ends inside a string");
    if (*p == '"') break;
    if (*p != '\\') return refuse_control(p);
    flags = Node::kEscaped;
    p = escape(p);
    if (p == nullptr) return nullptr;
  }
  add_scalar(Kind::string, from, p + 1, flags);
  return p + 1;
}

const char* Scanner::escape(const char* p) {
  if (end_ - p < 2) return refuse(end_, "the text ends inside a string");
  switch (p[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
      return p + 2;
    case 'u':
      return unicode_escape(p);
    default:
      return refuse_escape(p);
  }
}

const char* Scanner::unicode_escape(const char* p) {
  const auto unit_at = [this](const char* escape) { return end_ - escape < 6 ? -1 : hex4(escape + 2); };
  const std::int32_t unit = unit_at(p);
  if (unit < 0) return refuse(p, "\\u needs four hexadecimal digits");
  if (is_low_surrogate(unit)) return refuse(p, "a low surrogate needs a high surrogate before it");
  if (!is_high_surrogate(unit)) return p + 6;
  const char* const low = p + 6;
  if (!at(low, '\\') || !at(low + 1, 'u') || !is_low_surrogate(unit_at(low))) {
    return refuse(p, "a high surrogate needs a low surrogate after it");
  }
  return p + 12;
}

const char* Scanner::number(const char* const from) {
  const char* p = from + (*from == '-' ? 1 : 0);
  if (at(p, '0')) {
    ++p;
    if (p != end_ && is_digit(*p)) return refuse(from, "a number must not start with a zero");
  } else {
    p = digits(p);
  }
  if (p != nullptr && at(p, '.')) p = digits(p + 1);
  if (p != nullptr && p != end_ && (*p == 'e' || *p == 'E')) {
    ++p;
    p = digits(p != end_ && (*p == '+' || *p == '-') ? p + 1 : p);
  }
  if (p != nullptr) add_scalar(Kind::number, from, p);
  return p;
}

// One digit or more.
const char* Scanner::digits(const char* p) {
  if (p == end_ || !is_digit(*p)) return expected(p, "a digit");
  do ++p;
  while (p != end_ && is_digit(*p));
  return p;
}

const char* Scanner::literal(const char* p, std::string_view word, Kind kind) {
  if (!std::string_view(p, end_).starts_with(word)) return expected(p, "a value");
  add_scalar(kind, p, p + word.size());
  return p + word.size();
}

}  // namespace

std::optional<Refusal> scan(std::string_view text, int depth_max, std::vector<Node>& nodes) {
  return Scanner(text, depth_max, nodes).run();
}

}  // namespace millrace::json
