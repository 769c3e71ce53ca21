// An event as a list of values by field, made in one walk along the paths that rules use. One thread; reuse it
// for many events, it keeps its buffers. What it holds are views of the event.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "match/condition.h"
#include "match/event_view.h"
#include "match/path_trie.h"

namespace millrace::match {

// Numbers of array elements that are arrays or objects; 0 is the event itself. They follow the source, so the
// elements inside element e are exactly those from e to its end.
using ElementId = std::uint32_t;

struct FlatLeaf {
  Scalar value;
  FieldId field;
  ElementId element;   // the innermost around it
  std::uint32_t next;  // the next leaf of the same field, or kNone
  // Of a number, read when first asked for; NaN before.
  mutable double nearest;
};

struct Element {
  ElementId parent;
  ElementId end;        // one past the last inside it
  std::uint32_t array;  // unique in the event
};

class FlatEvent {
 public:
  static constexpr std::uint32_t kNone = PathTrie::kNone;

  // Forgets the last event. `trie` and `event` must outlive what is read from here.
  void flatten(const PathTrie& trie, const EventView& event);

  const std::vector<FlatLeaf>& leaves() const { return leaves_; }
  const std::vector<Element>& elements() const { return elements_; }
  // Whether all leaves stand in the event itself, so that any choice of them agrees.
  bool flat() const { return elements_.size() == 1; }
  // The first leaf of a field, or kNone.
  std::uint32_t first(FieldId field) const { return fields_[field].epoch == epoch_ ? fields_[field].first : kNone; }

 private:
  struct FieldState {
    std::uint32_t epoch = 0;  // of the event that the rest belongs to
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };

  void begin_event();
  void add_value(PathTrie::NodeId node, json::Value value);
  void add_object(PathTrie::NodeId node, json::Value object);
  void add_array(PathTrie::NodeId node, json::Value array);
  void add_element(PathTrie::NodeId node, json::Value element, std::uint32_t array);
  void add_leaf(FieldId field, Scalar value);
  std::string_view content_of(json::Value text);

  const PathTrie* trie_ = nullptr;
  std::vector<FlatLeaf> leaves_;
  std::vector<Element> elements_;
  std::vector<FieldState> fields_;
  std::deque<std::string> texts_;  // what escapes forbid to view in the source; the first texts_used_ are of this event
  std::size_t texts_used_ = 0;
  std::uint32_t epoch_ = 0;
  std::uint32_t arrays_ = 0;
  ElementId element_ = 0;
};

}  // namespace millrace::match
