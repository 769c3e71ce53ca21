#include "http/problem.h"

#include <fmt/format.h>

#include "base/assert.h"
#include "json/writer.h"

namespace millrace::http {

namespace {

std::string problem_text(std::string_view type, int status, std::string_view detail,
                         std::span<const FieldError> fields) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.member("type", type);
  json.member("title", reason_phrase(status));
  json.member("status", status);
  json.member("detail", detail);
  json.key("errors");
  json.begin_array();
  for (const FieldError& each : fields) {
    json.begin_object();
    json.member("field", each.field);
    json.member("message", each.message);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out;
}

std::string plain_text(std::string_view detail, std::string_view field) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.member("error", detail);
  if (!field.empty()) json.member("field", field);
  json.end_object();
  return out;
}

Response compose(std::string_view type, int status, std::string_view detail, std::span<const FieldError> fields,
                 ErrorStyle style) {
  Response response{.status = status};
  if (style == ErrorStyle::problem) {
    response.content_type = kProblemJson;
    response.body = problem_text(type, status, detail, fields);
  } else {
    response.body = plain_text(detail, fields.empty() ? std::string_view() : fields.front().field);
  }
  if (status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (status == 429 || status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

struct Mapping {
  int status;
  std::string_view name;
};

Mapping mapping_of(Errc code) {
  switch (code) {
    case Errc::malformed:
      return {400, "malformed"};
    case Errc::bad_query:
      return {400, "bad_query"};
    case Errc::unauthenticated:
      return {401, "unauthenticated"};
    case Errc::forbidden:
      return {403, "forbidden"};
    case Errc::not_found:
      return {404, "not_found"};
    case Errc::conflict:
      return {409, "conflict"};
    case Errc::stale_version:
      return {412, "stale_version"};
    case Errc::too_large:
      return {413, "too_large"};
    case Errc::unsupported_media:
      return {415, "unsupported_media"};
    case Errc::invalid:
      return {422, "invalid"};
    case Errc::overloaded:
      return {429, "overloaded"};
    case Errc::unavailable:
      return {503, "unavailable"};
  }
  MR_ASSERT(false, "every Errc has a status");
  return {500, ""};
}

}  // namespace

int status_of(Errc code) { return mapping_of(code).status; }

std::string_view name_of(Errc code) { return mapping_of(code).name; }

Response error_response(const Error& error, ErrorStyle style) {
  const auto [status, name] = mapping_of(error.code);
  std::vector<FieldError> fields;
  if (!error.field.empty()) fields.push_back({error.field, error.detail});
  return compose(fmt::format("urn:millrace:problem:{}", name), status, error.detail, fields, style);
}

Response error_response(const Error& error, std::span<const FieldError> fields) {
  const auto [status, name] = mapping_of(error.code);
  return compose(fmt::format("urn:millrace:problem:{}", name), status, error.detail, fields, ErrorStyle::problem);
}

Error too_much_held() {
  return {Errc::unavailable, "large bodies and answers fill the memory that there is for them just now; try again"};
}

Response status_response(int status, std::string_view detail, ErrorStyle style) {
  return compose("about:blank", status, detail, {}, style);
}

}  // namespace millrace::http
