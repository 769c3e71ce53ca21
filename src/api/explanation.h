// {"matches": …, "why": [{path, expected, seen}]}: the members, for an object that the caller has begun.
#pragma once

#include "json/writer.h"
#include "match/explain.h"

namespace millrace::api {

void write_explanation(json::Writer& out, const match::Explanation& explanation);

}  // namespace millrace::api
