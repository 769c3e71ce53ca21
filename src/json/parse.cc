#include "json/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "json/scanner.h"
#include "json/utf8.h"

namespace millrace::json {
namespace {

// What a Document keeps for the next text: 1 MiB of nodes.
constexpr std::size_t kNodesKeptMax = 65'536;
// The readers of a Document go down its levels by recursion.
constexpr int kDepthLimitMax = 1000;

// REQUIRES: the bytes before offset are valid UTF-8.
ParseError locate(std::string_view text, std::size_t offset, std::string message) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto starts_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  const auto lines = std::ranges::count(before, '\n');
  const auto columns = std::ranges::count_if(before.substr(line_start), starts_character);
  return {offset, static_cast<std::size_t>(lines) + 1, static_cast<std::size_t>(columns) + 1, std::move(message)};
}

// What can be said about a text before looking at its tokens.
std::expected<void, ParseError> check_bytes(std::string_view text) {
  if (text.size() > kTextBytesMax) {
    return std::unexpected(ParseError{.message = fmt::format("a text may have {} bytes at most", kTextBytesMax)});
  }
  if (text.starts_with("\xef\xbb\xbf")) {
    return std::unexpected(ParseError{.message = "the text starts with a byte order mark"});
  }
  if (!is_valid_utf8(text)) {
    const std::size_t bad = valid_utf8_prefix(text);
    return std::unexpected(locate(text, bad, "the text is not valid UTF-8"));
  }
  return {};
}

}  // namespace

class DocumentBuilder {
 public:
  static std::expected<void, ParseError> fill(Document& document, std::string_view text, ParseLimits limits) {
    MR_ASSERT(limits.depth >= 0 && limits.depth <= kDepthLimitMax, "deeper texts would recurse too deep later");
    make_room(document.nodes_, text.size());
    document.text_ = text;
    if (auto checked = check_bytes(text); !checked) return checked;
    if (auto refusal = scan(text, limits.depth, document.nodes_)) {
      document.nodes_.clear();
      return std::unexpected(locate(text, refusal->offset, std::move(refusal->message)));
    }
    return {};
  }

  // Gives the text to the document and returns where it lives now.
  static std::string_view own(Document& document, std::string text) {
    document.owned_text_ = std::make_unique<const std::string>(std::move(text));
    return *document.owned_text_;
  }

 private:
  static void make_room(std::vector<Node>& nodes, std::size_t text_bytes) {
    // A value or key takes about eight bytes of a usual text; a large one may grow its array as it goes.
    const std::size_t wanted = std::min(text_bytes / 8, kNodesKeptMax) + 8;
    // One huge text must not hold its memory for ever.
    if (nodes.capacity() > kNodesKeptMax) nodes = std::vector<Node>();
    nodes.clear();
    nodes.reserve(wanted);
  }
};

std::expected<Document, ParseError> parse(std::string_view text, ParseLimits limits) {
  Document document;
  if (auto filled = DocumentBuilder::fill(document, text, limits); !filled) {
    return std::unexpected(std::move(filled.error()));
  }
  return document;
}

std::expected<Document, ParseError> parse_owned(std::string text, ParseLimits limits) {
  Document document;
  const std::string_view kept = DocumentBuilder::own(document, std::move(text));
  if (auto filled = DocumentBuilder::fill(document, kept, limits); !filled) {
    return std::unexpected(std::move(filled.error()));
  }
  return document;
}

std::expected<void, ParseError> parse_into(Document& document, std::string_view text, ParseLimits limits) {
  return DocumentBuilder::fill(document, text, limits);
}

Error to_error(const ParseError& error) {
  return {Errc::malformed,
          fmt::format("malformed JSON at line {}, column {}: {}", error.line, error.column, error.message)};
}

}  // namespace millrace::json
