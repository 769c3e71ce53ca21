// Binary mode of CloudEvents over HTTP: attributes in ce-* header fields, data in the body (S3.2). Pure; knows
// header fields as pairs of texts and nothing of connections.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "event/event.h"
#include "json/value.h"

namespace millrace::event {

struct HeaderField {
  std::string_view name;  // in any case
  std::string_view value;
};

// Whether the sender means binary mode: one of the required attributes is there as a header field.
bool has_attribute_fields(std::span<const HeaderField> fields);

// The event as one JSON object, the same as in structured mode; `data` is the body if its type is JSON (then it
// must be), a text if its type is one of texts, else bytes as `data_base64`. Without a content type, a body
// that is JSON is taken as such. Errc::invalid names the header field, Errc::malformed says why the body is no
// JSON.
Result<json::Document> read_binary(std::span<const HeaderField> fields, std::string_view content_type,
                                   std::string_view body);

// An event as a message in binary mode.
struct BinaryMessage {
  std::vector<std::pair<std::string, std::string>> fields;  // ce-*, and content-type where there is data
  std::string body;
};
BinaryMessage write_binary(const Record& record);

}  // namespace millrace::event
