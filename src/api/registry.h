// Event types, schemas and allowlists under /api (S3.5, S3.6, S2.4, S2.5, S2.7): what a tenant says about its events.
#pragma once

#include "api/documents.h"
#include "api/respond.h"
#include "api/services.h"
#include "intake/documents.h"
#include "registry/event_type.h"

namespace millrace::api {

inline constexpr Collection kEventTypes{.kind = intake::kEventTypeKind,
                                        .entity_type = "millrace.event-type",
                                        .noun = "event type",
                                        .path = "/api/event-types"};
inline constexpr Collection kAllowlists{.kind = intake::kAllowlistKind,
                                        .entity_type = "millrace.public-event",
                                        .noun = "public event",
                                        .path = "/api/public-events"};

Async<Answer> list_event_types(Services& services, http::Request& request);
Async<Answer> create_event_type(Services& services, http::Request& request);
Async<Answer> get_event_type(Services& services, http::Request& request);
Async<Answer> put_event_type(Services& services, http::Request& request);
Async<Answer> change_event_type(Services& services, http::Request& request);
Async<Answer> remove_event_type(Services& services, http::Request& request);

Async<Answer> list_schemas(Services& services, http::Request& request);
Async<Answer> get_schema(Services& services, http::Request& request);
Async<Answer> change_schema(Services& services, http::Request& request);
Async<Answer> remove_schema(Services& services, http::Request& request);
Async<Answer> push_schemas(Services& services, http::Request& request);
Async<Answer> check_schemas(Services& services, http::Request& request);

Async<Answer> list_allowlists(Services& services, http::Request& request);
Async<Answer> get_allowlist(Services& services, http::Request& request);
Async<Answer> put_allowlist(Services& services, http::Request& request);
Async<Answer> change_allowlist(Services& services, http::Request& request);
Async<Answer> remove_allowlist(Services& services, http::Request& request);

// The type that a document holds. Errc::conflict for one that another version of Millrace wrote and this one cannot
// read.
Result<registry::EventType> type_of(const shard::Document& document);
// Its members, as the document keeps them.
void write_type(json::Writer& out, const registry::EventType& type);

}  // namespace millrace::api
