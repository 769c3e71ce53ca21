#include "json/object_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace millrace::json {
namespace {

// How much of a refused number or string a message repeats.
constexpr std::size_t kSeenBytesMax = 40;

// Where a value stands. Made into text only when something is wrong with it.
struct Place {
  std::string_view object_path;
  std::string_view key;
  std::optional<std::size_t> index = {};

  std::string text() const {
    std::string path = object_path.empty() ? std::string(key) : fmt::format("{}.{}", object_path, key);
    return index ? element_path(path, *index) : path;
  }
};

std::unexpected<Error> refuse(std::string path, std::string_view rule) {
  std::string detail = path.empty() ? fmt::format("the body {}", rule) : fmt::format("\"{}\" {}", path, rule);
  return fail(Errc::invalid, std::move(detail), std::move(path));
}

std::unexpected<Error> wrong_kind(std::string path, std::string_view expected, Value seen) {
  return refuse(std::move(path), fmt::format("must be {}, not {}", expected, describe(seen.kind())));
}

// The source of a scalar, if short enough to repeat; otherwise what it is.
std::string_view seen_text(Value value) {
  return value.raw().size() <= kSeenBytesMax ? value.raw() : describe(value.kind());
}

Result<std::string> read_string(Value value, const Place& place, std::size_t bytes_max) {
  if (!value.is(Kind::string)) return wrong_kind(place.text(), "a string", value);
  std::string text = value.get_string();
  if (text.size() > bytes_max) {
    return refuse(place.text(), fmt::format("may have {} bytes at most, not {}", bytes_max, text.size()));
  }
  if (text.find('\0') != text.npos) return refuse(place.text(), "must not contain the character U+0000");
  return text;
}

Result<std::int64_t> read_int(Value value, const Place& place, std::int64_t min, std::int64_t max) {
  const std::optional<std::int64_t> number = value.as_int64();
  if (number && *number >= min && *number <= max) return *number;
  const std::string_view seen = value.is(Kind::number) ? seen_text(value) : describe(value.kind());
  return refuse(place.text(), fmt::format("must be an integer from {} to {}, not {}", min, max, seen));
}

Result<bool> read_bool(Value value, const Place& place) {
  if (!value.is(Kind::boolean)) return wrong_kind(place.text(), "true or false", value);
  return value.get_bool();
}

Result<Time> read_time(Value value, const Place& place) {
  constexpr std::string_view kExpected = "a time like \"2025-12-24T10:30:00Z\"";
  if (!value.is(Kind::string)) return wrong_kind(place.text(), kExpected, value);
  const std::optional<Time> time = parse_time(value.get_string());
  if (!time) return refuse(place.text(), fmt::format("must be {}, not {}", kExpected, seen_text(value)));
  return *time;
}

Result<Value> read_array(Value value, const Place& place, std::size_t count_max) {
  if (!value.is(Kind::array)) return wrong_kind(place.text(), "an array", value);
  if (value.size() > count_max) {
    return refuse(place.text(), fmt::format("may have {} elements at most, not {}", count_max, value.size()));
  }
  return value;
}

Result<std::vector<std::string>> read_strings(Value value, Place place, std::size_t count_max, std::size_t bytes_max) {
  const Result<Value> array = read_array(value, place, count_max);
  if (!array) return std::unexpected(array.error());
  std::vector<std::string> strings;
  strings.reserve(array->size());
  for (const Value element : array->elements()) {
    place.index = strings.size();
    Result<std::string> text = read_string(element, place, bytes_max);
    if (!text) return std::unexpected(std::move(text.error()));
    strings.push_back(std::move(*text));
  }
  return strings;
}

}  // namespace

std::string element_path(std::string_view array_path, std::size_t index) {
  return fmt::format("{}[{}]", array_path, index);
}

Result<ObjectReader> ObjectReader::open(Value value, std::string path) {
  if (!value.is(Kind::object)) return wrong_kind(std::move(path), "an object", value);
  return ObjectReader(value, std::move(path));
}

std::string ObjectReader::path_of(std::string_view key) const { return Place{path_, key}.text(); }

template <class T, class Read>
Result<T> ObjectReader::required(std::string_view key, Read read) const {
  const Result<Value> value = required_value(key);
  if (!value) return std::unexpected(value.error());
  return read(*value, Place{path_, key});
}

template <class T, class Read>
Result<std::optional<T>> ObjectReader::optional(std::string_view key, Read read) const {
  const std::optional<Value> value = object_.find(key);
  if (!value || value->is(Kind::null)) return std::nullopt;
  Result<T> content = read(*value, Place{path_, key});
  if (!content) return std::unexpected(std::move(content.error()));
  return std::optional<T>(std::move(*content));
}

Result<std::string> ObjectReader::required_string(std::string_view key, std::size_t bytes_max) const {
  return required<std::string>(key, [=](Value v, const Place& place) { return read_string(v, place, bytes_max); });
}

Result<std::optional<std::string>> ObjectReader::optional_string(std::string_view key, std::size_t bytes_max) const {
  return optional<std::string>(key, [=](Value v, const Place& place) { return read_string(v, place, bytes_max); });
}

Result<std::int64_t> ObjectReader::required_int(std::string_view key, std::int64_t min, std::int64_t max) const {
  return required<std::int64_t>(key, [=](Value v, const Place& place) { return read_int(v, place, min, max); });
}

Result<std::optional<std::int64_t>> ObjectReader::optional_int(std::string_view key, std::int64_t min,
                                                               std::int64_t max) const {
  return optional<std::int64_t>(key, [=](Value v, const Place& place) { return read_int(v, place, min, max); });
}

Result<bool> ObjectReader::required_bool(std::string_view key) const { return required<bool>(key, read_bool); }

Result<std::optional<bool>> ObjectReader::optional_bool(std::string_view key) const {
  return optional<bool>(key, read_bool);
}

Result<Time> ObjectReader::required_time(std::string_view key) const { return required<Time>(key, read_time); }

Result<std::optional<Time>> ObjectReader::optional_time(std::string_view key) const {
  return optional<Time>(key, read_time);
}

Result<Value> ObjectReader::required_array(std::string_view key, std::size_t count_max) const {
  return required<Value>(key, [=](Value v, const Place& place) { return read_array(v, place, count_max); });
}

Result<std::optional<Value>> ObjectReader::optional_array(std::string_view key, std::size_t count_max) const {
  return optional<Value>(key, [=](Value v, const Place& place) { return read_array(v, place, count_max); });
}

Result<std::optional<ObjectReader>> ObjectReader::optional_object(std::string_view key) const {
  return optional<ObjectReader>(key, [](Value v, const Place& place) { return open(v, place.text()); });
}

Result<std::optional<std::vector<std::string>>> ObjectReader::optional_strings(std::string_view key,
                                                                               std::size_t count_max,
                                                                               std::size_t bytes_max) const {
  return optional<std::vector<std::string>>(
      key, [=](Value v, const Place& place) { return read_strings(v, place, count_max, bytes_max); });
}

Result<Value> ObjectReader::required_value(std::string_view key) const {
  const std::optional<Value> value = object_.find(key);
  if (!value) return refuse(path_of(key), "is required");
  return *value;
}

std::vector<std::string> ObjectReader::unknown_keys(std::initializer_list<std::string_view> known) const {
  std::vector<std::string> unknown;
  for (const Member member : object_.members()) {
    const bool expected = std::ranges::any_of(known, [&](std::string_view key) { return member.key.equals(key); });
    if (!expected) unknown.push_back(member.key.get_string());
  }
  return unknown;
}

}  // namespace millrace::json
