// A parsed JSON text and cheap views into it. A Document owns the node array (and the text, if it was
// given away to it); a Value is two pointers into it and lives no longer than it. Values survive moving
// the Document; parsing into it again ends them. Immutable after parsing, so any thread may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::json {

enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

// With its article, for messages: "a string", "null", "an array".
std::string_view describe(Kind kind);

// One value or key. The nodes of a text stand in source order, an object's as key, value, key, value;
// `span` leads over a subtree to the next sibling.
struct Node {
  static constexpr std::uint32_t kKindMask = 7;
  static constexpr std::uint32_t kEscaped = 8;  // a string with at least one backslash
  static constexpr std::uint32_t kSpaced = 16;  // a container with whitespace somewhere between its tokens
  static constexpr int kCountShift = 5;         // members or elements of a container, in the bits above

  std::uint32_t begin;   // offset of the first byte in the text
  std::uint32_t length;  // bytes of source; in a container that is still open: children so far
  std::uint32_t span;    // nodes of the subtree, itself included; while open: index of the parent
  std::uint32_t bits;
};

class Members;
class Elements;

class Value {
 public:
  Kind kind() const { return static_cast<Kind>(node_->bits & Node::kKindMask); }
  bool is(Kind kind) const { return this->kind() == kind; }
  // The source text of the value, quotes and inner whitespace included.
  std::string_view raw() const { return {text_ + node_->begin, node_->length}; }

  // REQUIRES: kind boolean.
  bool get_bool() const;
  // The content without escapes; may contain U+0000. REQUIRES: kind string.
  std::string get_string() const;
  void append_content(std::string& out) const;
  // The content as a view of the source; nullopt where escapes forbid it. REQUIRES: kind string.
  std::optional<std::string_view> plain_string() const;
  // True for a string with exactly this content, however it is escaped.
  bool equals(std::string_view content) const;

  // The number if it is mathematically an integer and fits (100, 100.0, 1e2 alike); nullopt otherwise,
  // also for other kinds.
  std::optional<std::int64_t> as_int64() const;
  // The nearest double; nullopt for what is beyond its range (1e400) and for other kinds.
  std::optional<double> as_double() const;

  // Members or elements. REQUIRES: kind array or object.
  std::size_t size() const;
  // In source order. REQUIRES: kind object, array.
  Members members() const;
  Elements elements() const;
  // The member with this key; nullopt without one and for other kinds. Costs a walk over the members.
  std::optional<Value> find(std::string_view key) const;

  // Whether whitespace stands between the tokens of this array or object.
  bool spaced() const { return (node_->bits & Node::kSpaced) != 0; }

 private:
  friend class Document;
  friend class Members;
  friend class Elements;
  Value(const Node* node, const char* text) : node_(node), text_(text) {}
  bool escaped() const { return (node_->bits & Node::kEscaped) != 0; }
  std::string_view content() const { return {text_ + node_->begin + 1, node_->length - 2}; }

  const Node* node_;
  const char* text_;
};

struct Member {
  Value key;  // kind string
  Value value;
};

class Members {
 public:
  class Iterator {
   public:
    Iterator(const Node* key, const char* text) : key_(key), text_(text) {}
    Member operator*() const { return {Value(key_, text_), Value(key_ + 1, text_)}; }
    Iterator& operator++() {
      key_ += 1 + key_[1].span;
      return *this;
    }
    bool operator==(const Iterator& other) const { return key_ == other.key_; }

   private:
    const Node* key_;
    const char* text_;
  };

  explicit Members(Value object) : object_(object) {}
  Iterator begin() const { return {object_.node_ + 1, object_.text_}; }
  Iterator end() const { return {object_.node_ + object_.node_->span, object_.text_}; }

 private:
  Value object_;
};

class Elements {
 public:
  class Iterator {
   public:
    Iterator(const Node* node, const char* text) : node_(node), text_(text) {}
    Value operator*() const { return {node_, text_}; }
    Iterator& operator++() {
      node_ += node_->span;
      return *this;
    }
    bool operator==(const Iterator& other) const { return node_ == other.node_; }

   private:
    friend class Elements;
    const Node* node_;
    const char* text_;
  };

  explicit Elements(Value array) : array_(array) {}
  Iterator begin() const { return {array_.node_ + 1, array_.text_}; }
  Iterator end() const { return {array_.node_ + array_.node_->span, array_.text_}; }

 private:
  Value array_;
};

// Made by parse() and friends (json/parse.h). Reuse one for many texts: it keeps its buffer.
class Document {
 public:
  // REQUIRES: the last parse into it succeeded.
  Value root() const;

 private:
  friend class DocumentBuilder;
  std::vector<Node> nodes_;  // empty: nothing parsed
  std::string_view text_;
  // Behind a pointer so that moving the Document never moves the bytes.
  std::unique_ptr<const std::string> owned_text_;
};

}  // namespace millrace::json
