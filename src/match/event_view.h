// The event as patterns see it: either one JSON object, or a list of top-level fields that were never put
// into one text. A view: names, texts and documents must outlive it.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "json/value.h"

namespace millrace::match {

struct EventField {
  using Texts = std::span<const std::string_view>;

  std::string_view name;
  // A string, an array of strings, or any JSON.
  std::variant<std::string_view, Texts, json::Value> content;
};

class EventView {
 public:
  // A root that is no object has no fields.
  explicit EventView(json::Value root) : source_(root) {}
  // Two fields of one name count as both.
  explicit EventView(std::span<const EventField> fields) : source_(fields) {}

  const std::variant<json::Value, std::span<const EventField>>& source() const { return source_; }

 private:
  std::variant<json::Value, std::span<const EventField>> source_;
};

}  // namespace millrace::match
