#include "event/body.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "event/codec_cloudevents.h"
#include "event/codec_keyed.h"
#include "event/codec_snake.h"
#include "event/recognise.h"
#include "json/parse.h"

namespace millrace::event {
namespace {

using json::Kind;
using json::Value;
using Decode = Result<Draft> (*)(Value, std::optional<std::size_t>);

Result<Draft> decode_batched(Value value, std::optional<std::size_t> element) {
  if (value.is(Kind::object)) return decode_cloudevent(value, element);
  const std::string path = element ? fmt::format("[{}]", *element) : std::string();
  return fail(Errc::invalid, fmt::format("a CloudEvent must be an object, not {}", json::describe(value.kind())), path);
}

Result<void> read_array(Drafts& drafts, Value array, Decode decode) {
  drafts.shape = Shape::array;
  if (array.size() == 0) return fail(Errc::invalid, "the array has no events");
  if (array.size() > limits::kEventsPerRequestMax) {
    return fail(Errc::invalid, fmt::format("a request may bring {} events at most, not {}",
                                           limits::kEventsPerRequestMax, array.size()));
  }
  drafts.events.reserve(array.size());
  for (const Value element : array.elements()) drafts.events.push_back(decode(element, drafts.events.size()));
  return {};
}

Result<Drafts> read_json(std::string_view body, Mode mode) {
  auto document = json::parse(body);
  if (!document) return std::unexpected(json::to_error(document.error()));
  Drafts drafts{.document = *std::move(document), .mode = mode, .events = {}};
  const Value root = drafts.document.root();
  if (mode == Mode::cloudevents_batch && !root.is(Kind::array)) {
    return fail(Errc::invalid, fmt::format("a batch must be an array, not {}", json::describe(root.kind())));
  }
  const bool array = root.is(Kind::array) && mode != Mode::cloudevent;
  const Decode one = mode == Mode::json ? decode : decode_batched;
  if (!array) {
    drafts.events.push_back(one(root, std::nullopt));
    return drafts;
  }
  if (const auto read = read_array(drafts, root, one); !read) return std::unexpected(read.error());
  return drafts;
}

// The body and its type are not in a field of their own.
bool is_attribute_field(std::string_view field) {
  return !field.empty() && (field == "dataschema" || !field.starts_with("data"));
}

// In binary mode an attribute is a header field, and is called so.
void name_header_field(Error& error) {
  if (!is_attribute_field(error.field)) return;
  error.detail = fmt::format("header field ce-{}: {}", error.field, error.detail);
  error.field.insert(0, "ce-");
}

Result<Draft> decode_binary(Value object) {
  Result<Draft> draft = decode_cloudevent(object);
  if (!draft) name_header_field(draft.error());
  return draft;
}

Value element_at(Value array, std::size_t index) {
  auto element = array.elements().begin();
  for (; index > 0; --index) ++element;
  return *element;
}

// What the event lacks in its form, which the request says or its fields do.
std::vector<std::string_view> missing_names(Mode mode, Value event) {
  if (!event.is(Kind::object)) return {};
  const Result<Envelope> envelope = mode == Mode::json ? recognise(event) : Envelope::cloudevents;
  if (envelope == Envelope::snake) return missing_in_snake(event);
  if (envelope == Envelope::keyed) return missing_in_keyed(event);
  if (envelope == Envelope::cloudevents) return missing_in_cloudevent(event);
  return {};
}

}  // namespace

std::vector<Error> missing_fields(const Drafts& drafts, std::size_t index, const Error& refused) {
  const bool array = drafts.shape == Shape::array;
  const Value event = array ? element_at(drafts.document.root(), index) : drafts.document.root();
  std::vector<Error> errors;
  for (const std::string_view name : missing_names(drafts.mode, event)) {
    std::string path = array ? fmt::format("[{}].{}", index, name) : std::string(name);
    errors.push_back({Errc::invalid, fmt::format("\"{}\" is required", path), std::move(path)});
    if (drafts.mode == Mode::binary) name_header_field(errors.back());
  }
  const bool is_meant = std::ranges::find(errors, refused) != errors.end();
  return is_meant ? errors : std::vector<Error>{};
}

Result<Drafts> read_body(std::string_view content_type, std::span<const HeaderField> fields, std::string_view body) {
  const Mode mode = choose_mode(content_type, has_attribute_fields(fields));
  if (mode == Mode::unsupported) {
    return fail(Errc::unsupported_media,
                "send application/json, application/cloudevents+json, application/cloudevents-batch+json, or any "
                "type with CloudEvents attributes in ce-* header fields");
  }
  if (mode != Mode::binary) return read_json(body, mode);
  auto document = read_binary(fields, content_type, body);
  if (!document) return std::unexpected(std::move(document.error()));
  Drafts drafts{.document = *std::move(document), .mode = mode, .events = {}};
  drafts.events.push_back(decode_binary(drafts.document.root()));
  return drafts;
}

}  // namespace millrace::event
