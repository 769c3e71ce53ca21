// Whether an event fits a schema of the whole envelope (S2.4): its snake_case form is checked, in whichever form it was
// sent. `workspace_id` and `organization_id` are two names of one field, so a schema sees the one that it speaks of.
// Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "event/codec_snake.h"
#include "event/event.h"
#include "registry/event_type.h"
#include "registry/validator.h"

namespace millrace::intake {

// The names of the tenant that the text of a schema has; as_sent where it has none. Found once a schema.
event::TenantName tenant_name_in(const registry::SpecVersion& spec);

// Pointers are into the envelope. A schema that speaks of both names may want both of them, or one and not the other:
// it is broken only where no way of naming the tenant fits. `name` is what tenant_name_in() said of the schema.
std::vector<registry::Violation> check_envelope(const event::Record& record,
                                                const registry::PayloadValidator& validator, event::TenantName name);

}  // namespace millrace::intake
