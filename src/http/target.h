// What a request asks for: the path in segments and the query in parameters, decoded. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace millrace::http {

struct Target {
  // What stands between the slashes, so "/events" is {"events"}, "/events/" {"events", ""}, "/" {""}. An
  // encoded slash is part of its segment.
  std::vector<std::string> segments;
  std::vector<std::pair<std::string, std::string>> query;  // in the order sent
};

// Strict: a bad escape, an encoded NUL, invalid UTF-8 or a fragment is Errc::malformed; the error's field is the query
// parameter to blame, if one is. In the query "+" is a space. "http://host/path" is taken for its path, as RFC 9112
// wants.
Result<Target> parse_target(std::string_view raw);

// The segments of a target that parse_target() refuses, those that can't be decoded as they were sent: enough to tell
// what it was meant for.
std::vector<std::string> guess_segments(std::string_view raw);

// The path as it was sent, fit for a log: without the query, and without an authority, which may have a password. ""
// for what is no path.
std::string_view path_of(std::string_view raw);

}  // namespace millrace::http
