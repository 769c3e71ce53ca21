// The code of an event type, in one of the forms in use here. Syntax only: whether the name is a good one is
// for naming.h, and only where the tenant asks for it.
#pragma once

#include <string_view>

#include "base/result.h"

namespace millrace::registry {

enum class CodeForm {
  colon,   // application:subdomain:aggregate:event
  dotted,  // aggregate.action, also with more segments
  upper,   // DOMAIN_ACTION
  title,   // the workflow's own events, such as "Task Pending"
};

// Errc::invalid, field "code", with what is wrong with it.
Result<CodeForm> parse_code(std::string_view code);

// Whether this is one of the titles under which the task workflow records its events (S0).
bool is_workflow_title(std::string_view type);

}  // namespace millrace::registry
