// CloudEvents 1.0 in JSON: one event as an object (S3.2). Core attributes become fields of the event, extension
// attributes stay what they are, under `extensions`. Some extensions also speak to us: correlationid,
// causationid, messagegroup, deduplicationid and schemaversion fill the fields of those names. Attributes that
// begin with "mr" are ours: they carry what CloudEvents has no words for from one Millrace to another. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "event/draft.h"
#include "event/event.h"
#include "json/value.h"
#include "json/writer.h"

namespace millrace::event {

// Errc::invalid names the attribute. REQUIRES: an object.
Result<Draft> decode_cloudevent(json::Value object, std::optional<std::size_t> element = {});

// Every required attribute that is not there. REQUIRES: an object.
std::vector<std::string_view> missing_in_cloudevent(json::Value object);

// One object, for application/cloudevents+json.
void write_cloudevent(json::Writer& out, const Record& record);

// The attributes of an event as texts, in binary mode's sense: without data and datacontenttype.
std::vector<std::pair<std::string, std::string>> attribute_texts(const Record& record);

}  // namespace millrace::event
