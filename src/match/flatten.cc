#include "match/flatten.h"

#include <limits>

namespace millrace::match {

void FlatEvent::flatten(const PathTrie& trie, const EventView& event) {
  trie_ = &trie;
  begin_event();
  if (const auto* root = std::get_if<json::Value>(&event.source())) {
    if (root->is(json::Kind::object)) add_object(PathTrie::kRoot, *root);
    return;
  }
  for (const EventField& field : std::get<std::span<const EventField>>(event.source())) {
    const PathTrie::NodeId node = trie_->descend(PathTrie::kRoot, field.name);
    if (node == PathTrie::kNone) continue;
    if (const auto* value = std::get_if<json::Value>(&field.content)) {
      add_value(node, *value);
      continue;
    }
    const FieldId id = trie_->field(node);
    if (id == PathTrie::kNone) continue;
    if (const auto* text = std::get_if<std::string_view>(&field.content)) {
      add_leaf(id, {json::Kind::string, *text});
    } else {
      for (const std::string_view each : std::get<EventField::Texts>(field.content)) {
        add_leaf(id, {json::Kind::string, each});
      }
    }
  }
}

void FlatEvent::begin_event() {
  leaves_.clear();
  elements_.assign(1, Element{0, kNone, 0});
  texts_used_ = 0;
  arrays_ = 0;
  element_ = 0;
  if (fields_.size() < trie_->fields()) fields_.resize(trie_->fields());
  if (++epoch_ == 0) {
    // Numbers have come round; none of them may look like a new one.
    fields_.assign(fields_.size(), {});
    epoch_ = 1;
  }
}

void FlatEvent::add_value(PathTrie::NodeId node, json::Value value) {
  switch (value.kind()) {
    case json::Kind::object:
      if (trie_->has_children(node)) add_object(node, value);
      return;
    case json::Kind::array:
      return add_array(node, value);
    case json::Kind::string:
      if (trie_->field(node) != kNone) add_leaf(trie_->field(node), {json::Kind::string, content_of(value)});
      return;
    default:
      if (trie_->field(node) != kNone) add_leaf(trie_->field(node), {value.kind(), value.raw()});
  }
}

void FlatEvent::add_object(PathTrie::NodeId node, json::Value object) {
  std::string unescaped;
  for (const json::Member member : object.members()) {
    auto key = member.key.plain_string();
    if (!key) {
      unescaped.clear();
      member.key.append_content(unescaped);
      key = unescaped;
    }
    const PathTrie::NodeId child = trie_->descend(node, *key);
    if (child != PathTrie::kNone) add_value(child, member.value);
  }
}

void FlatEvent::add_array(PathTrie::NodeId node, json::Value array) {
  const std::uint32_t id = arrays_++;
  for (const json::Value element : array.elements()) {
    if (element.is(json::Kind::object) || element.is(json::Kind::array)) {
      add_element(node, element, id);
    } else {
      add_value(node, element);
    }
  }
}

void FlatEvent::add_element(PathTrie::NodeId node, json::Value element, std::uint32_t array) {
  if (element.is(json::Kind::object) && !trie_->has_children(node)) return;
  const ElementId outer = element_;
  element_ = static_cast<ElementId>(elements_.size());
  const ElementId inner = element_;
  elements_.push_back({outer, 0, array});
  add_value(node, element);
  elements_[inner].end = static_cast<ElementId>(elements_.size());
  element_ = outer;
}

void FlatEvent::add_leaf(FieldId field, Scalar value) {
  const auto index = static_cast<std::uint32_t>(leaves_.size());
  leaves_.push_back({value, field, element_, kNone, std::numeric_limits<double>::quiet_NaN()});
  FieldState& state = fields_[field];
  if (state.epoch == epoch_) {
    leaves_[state.last].next = index;
    state.last = index;
  } else {
    state = {epoch_, index, index};
  }
}

std::string_view FlatEvent::content_of(json::Value text) {
  if (const auto plain = text.plain_string()) return *plain;
  if (texts_used_ == texts_.size()) texts_.emplace_back();
  std::string& content = texts_[texts_used_++];
  content.clear();
  text.append_content(content);
  return content;
}

}  // namespace millrace::match
