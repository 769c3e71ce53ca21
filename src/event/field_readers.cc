#include <fmt/format.h>

#include "base/base64.h"
#include "base/limits.h"
#include "base/time.h"
#include "event/field_table.h"

namespace millrace::event::read {
namespace {

using json::Kind;
using json::Value;

// The last millisecond that RFC 3339 can say.
constexpr std::int64_t kTimeMsMax = 253'402'300'799'999;
// Keys hold the digits of a time and sort as text: these are the times of thirteen digits, from 2001 on. It
// also tells seconds from milliseconds.
constexpr std::int64_t kTimestampMsMin = 1'000'000'000'000;
constexpr std::int64_t kTimestampMsMax = 9'999'999'999'999;

}  // namespace

void kept_text(Decoding& d, const Field& field, Value value) {
  std::string text;
  if (d.read_text(field.name, value, limits::kEventSourceBytesMax, text)) d.keep(field.as, value);
}

void kept_base64(Decoding& d, const Field& field, Value value) {
  const bool valid = value.is(Kind::string) && from_base64(value.get_string()).has_value();
  if (!valid) return d.refuse(field.name, "must be a string of Base64 with its padding");
  if (d.draft.data) return d.refuse(field.name, "must not stand beside \"data\"");
  d.keep(field.as, value);
}

void kept_object(Decoding& d, const Field& field, Value value) {
  if (!value.is(Kind::object)) return d.refuse_kind(field.name, "an object", value);
  d.keep(field.as, value);
}

void kept_object_or_text(Decoding& d, const Field& field, Value value) {
  if (!value.is(Kind::object) && !value.is(Kind::string))
    return d.refuse_kind(field.name, "an object or a string", value);
  d.keep(field.as, value);
}

void kept_data(Decoding& d, const Field& field, Value value) {
  for (const Part& part : d.draft.parts) {
    if (part.name == "data_base64") return d.refuse("data_base64", "must not stand beside \"data\"");
  }
  d.draft.data = value;
  d.keep(field.as, value);
}

void audit(Decoding& d, const Field& field, Value value) {
  if (!value.is(Kind::object)) return d.refuse_kind(field.name, "an object", value);
  d.draft.audit = value;
}

void extensions(Decoding& d, const Field& field, Value value) {
  if (!value.is(Kind::object)) return d.refuse_kind(field.name, "an object", value);
  for (const auto [key, content] : value.members()) {
    const std::string name = key.get_string();
    d.keep_extension(fmt::format("{}.{}", field.name, name), name, content);
  }
}

void time(Decoding& d, const Field& field, Value value) { d.read_time(field.name, value); }

void timestamp(Decoding& d, const Field& field, Value value) {
  const auto ms = value.as_int64();
  if (!ms || *ms < kTimestampMsMin || *ms > kTimestampMsMax) {
    return d.refuse(field.name,
                    "must be a time in milliseconds since 1970 of thirteen digits (2001 to 2286), like 1767453739640");
  }
  d.draft.time = time_from_ms(*ms);
}

void ttl(Decoding& d, const Field& field, Value value) {
  const auto seconds = value.as_int64();
  if (!seconds || *seconds < 0 || *seconds > kTimeMsMax / 1000) {
    return d.refuse(field.name, "must be a time in seconds since 1970, like 1767453739");
  }
  d.draft.header.expires = time_from_ms(*seconds * 1000);
}

void schema_version(Decoding& d, const Field& field, Value value) { d.read_schema_version(field.name, value); }
void tenant(Decoding& d, const Field& field, Value value) { d.read_tenant(field.name, value); }
void context_pairs(Decoding& d, const Field& field, Value value) { d.read_context_pairs(field.name, value); }
void context_object(Decoding& d, const Field& field, Value value) { d.read_context_object(field.name, value); }

void spec_version(Decoding& d, const Field& field, Value value) {
  if (!value.equals("1.0")) d.refuse(field.name, fmt::format("must be \"1.0\", not {}", value.raw().substr(0, 20)));
}

void given_by_the_server(Decoding& d, const Field& field, Value) {
  const std::string_view hint = field.name == "id" ? "; the sender's own id is \"eventId\"" : "";
  d.refuse(field.name, fmt::format("is given by the server{}", hint));
}

}  // namespace millrace::event::read
