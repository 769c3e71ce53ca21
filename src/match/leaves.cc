#include "match/leaves.h"

#include <fmt/format.h>

namespace millrace::match {

Leaves::Leaves(const EventView& event) {
  if (const auto* root = std::get_if<json::Value>(&event.source())) {
    if (root->is(json::Kind::object)) add_object(nullptr, *root);
    return;
  }
  for (const EventField& field : std::get<std::span<const EventField>>(event.source())) {
    const std::string name(field.name);
    std::visit(Overloaded{
                   [&](std::string_view text) { add_text(name, text); },
                   [&](EventField::Texts texts) {
                     for (const std::string_view text : texts) add_text(name, text);
                   },
                   [&](json::Value value) { add_value(name, value); },
               },
               field.content);
  }
}

void Leaves::add_value(const std::string& path, json::Value value) {
  if (value.is(json::Kind::object)) return add_object(&path, value);
  if (value.is(json::Kind::array)) return add_array(path, value);
  add_scalar(path, value);
}

void Leaves::add_object(const std::string* path, json::Value object) {
  for (const json::Member member : object.members()) {
    const std::string key = member.key.get_string();
    add_value(path == nullptr ? key : fmt::format("{}.{}", *path, key), member.value);
  }
}

void Leaves::add_array(const std::string& path, json::Value array) {
  const int id = arrays_++;
  int index = 0;
  for (const json::Value element : array.elements()) {
    if (element.is(json::Kind::object) || element.is(json::Kind::array)) {
      inside_.push_back({id, index});
      add_value(path, element);
      inside_.pop_back();
    } else {
      add_scalar(path, element);
    }
    ++index;
  }
}

void Leaves::add_scalar(const std::string& path, json::Value value) {
  if (value.is(json::Kind::string)) return add_text(path, texts_.emplace_back(value.get_string()));
  leaves_.push_back({path, {value.kind(), value.raw()}, inside_});
}

void Leaves::add_text(const std::string& path, std::string_view text) {
  leaves_.push_back({path, {json::Kind::string, text}, inside_});
}

}  // namespace millrace::match
