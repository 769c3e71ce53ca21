#include "event/cloudevents_binary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/limits.h"
#include "event/attribute_text.h"
#include "event/codec_cloudevents.h"
#include "event/form_writer.h"
#include "event/media_type.h"
#include "json/parse.h"
#include "json/utf8.h"
#include "json/writer.h"

namespace millrace::event {
namespace {

constexpr std::string_view kPrefix = "ce-";
constexpr std::array<std::string_view, 4> kRequired = {"ce-specversion", "ce-id", "ce-source", "ce-type"};
constexpr json::ParseLimits kInsideEvent{.depth = limits::kJsonDepthMax + 1};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view without_space(std::string_view json) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = json.find_first_not_of(kSpace);
  if (first == json.npos) return {};
  return json.substr(first, json.find_last_not_of(kSpace) + 1 - first);
}

std::unexpected<Error> refuse(const std::string& field, std::string_view rule) {
  return fail(Errc::invalid, fmt::format("\"{}\" {}", field, rule), field);
}

Result<void> write_attributes(json::Writer& out, std::span<const HeaderField> fields) {
  std::vector<std::string> seen;
  for (const HeaderField& field : fields) {
    const std::string name = lower_case(field.name);
    if (!name.starts_with(kPrefix)) continue;
    const std::string attribute = name.substr(kPrefix.size());
    if (attribute == "datacontenttype") return refuse(name, "must not be there: Content-Type says it");
    if (attribute == "data" || attribute == "data_base64")
      return refuse(name, "must not be there: the body is the data");
    if (std::ranges::find(seen, name) != seen.end()) return refuse(name, "must not be there twice");
    seen.push_back(name);
    const auto text = decode_header_value(field.value);
    if (!text) return refuse(name, "must be percent-encoded UTF-8, or a whole quoted string");
    out.member(attribute, *text);
  }
  return {};
}

enum class DataForm : std::uint8_t { none, json, text, bytes };

DataForm form_of(std::string_view content_type, std::string_view body) {
  const std::string essence = essence_of(content_type);
  if (essence.empty()) return body.empty() ? DataForm::none : json::parse(body) ? DataForm::json : DataForm::bytes;
  // An empty body is no JSON text: there is no data, whatever type it would have.
  if (is_json_media(essence)) return without_space(body).empty() ? DataForm::none : DataForm::json;
  if (body.empty()) return DataForm::none;
  return is_text_media(essence, content_type) && json::is_valid_utf8(body) ? DataForm::text : DataForm::bytes;
}

void write_data(json::Writer& out, DataForm form, std::string_view body) {
  if (form == DataForm::json) out.raw_member("data", without_space(body));
  if (form == DataForm::text) out.member("data", body);
  if (form == DataForm::bytes) out.member("data_base64", to_base64(body));
}

}  // namespace

bool has_attribute_fields(std::span<const HeaderField> fields) {
  return std::ranges::any_of(fields, [](const HeaderField& field) {
    constexpr std::size_t kLongest = 14;
    if (field.name.size() > kLongest) return false;
    return std::ranges::find(kRequired, lower_case(field.name)) != kRequired.end();
  });
}

Result<json::Document> read_binary(std::span<const HeaderField> fields, std::string_view content_type,
                                   std::string_view body) {
  std::string text;
  text.reserve(body.size() + 1024);
  json::Writer writer(text);
  writer.begin_object();
  if (const auto written = write_attributes(writer, fields); !written) return std::unexpected(written.error());
  if (!content_type.empty()) writer.member("datacontenttype", content_type);
  const DataForm form = form_of(content_type, body);
  write_data(writer, form, body);
  writer.end_object();

  auto document = json::parse_owned(std::move(text), kInsideEvent);
  if (!document && form != DataForm::json) return std::unexpected(json::to_error(document.error()));
  if (form != DataForm::json) return *std::move(document);
  // A body that is not one JSON value must not become members of the event.
  const auto data = document ? document->root().find("data") : std::nullopt;
  if (data && data->raw() == without_space(body)) return *std::move(document);
  const auto alone = json::parse(body);
  if (!alone) return std::unexpected(json::to_error(alone.error()));
  return fail(Errc::malformed, "the body is not one JSON value");
}

BinaryMessage write_binary(const Record& record) {
  const OpenRest rest(*record.rest);
  BinaryMessage message;
  for (const auto& [name, text] : attribute_texts(record)) {
    message.fields.emplace_back(std::string(kPrefix) + name, encode_header_value(text));
  }
  std::string content_type = rest.text("datacontenttype");
  if (const auto bytes = rest.find("data_base64")) message.body = from_base64(bytes->get_string()).value_or("");
  if (const auto data = rest.find("data")) {
    if (content_type.empty()) content_type = "application/json";
    const bool characters = data->is(json::Kind::string) && !is_json_media(essence_of(content_type));
    message.body = characters ? data->get_string() : std::string(data->raw());
  }
  if (!content_type.empty()) message.fields.emplace_back("content-type", std::move(content_type));
  return message;
}

}  // namespace millrace::event
