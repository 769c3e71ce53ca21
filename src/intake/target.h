// The JSON of one target of a rule. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "intake/rule.h"
#include "json/value.h"
#include "json/writer.h"

namespace millrace::intake {

// Errc::invalid with the path of the field, which begins with `place` ("targets[1]"): no id, an unknown type, another
// field than the type takes, an address that is no http or https, bounds of the retries, a template with a name that
// `paths` lacks, and any field that no target has.
Result<Target> parse_target(json::Value value, std::string place);
void write_target(json::Writer& out, const Target& target);

// Whether only letters, digits, '.', '_' and '-' are in it.
bool is_plain_name(std::string_view text);
// Why this is no address that can be delivered to; "" if it is one. Which addresses are allowed is the sender's.
std::string_view url_problem(std::string_view url);

}  // namespace millrace::intake
