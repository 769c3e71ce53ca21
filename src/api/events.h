// The event log under /api/events: publish, look up, list, query, follow, explain.
#pragma once

#include "api/respond.h"
#include "api/services.h"

namespace millrace::api {

Async<Answer> publish_events(Services& services, http::Request& request);
Async<Answer> get_event(Services& services, http::Request& request);
Async<Answer> list_events(Services& services, http::Request& request);
Async<Answer> query_events(Services& services, http::Request& request);
Async<Answer> tail_events(Services& services, http::Request& request);
Async<Answer> explain_event(Services& services, http::Request& request);

// The event of the path's {id}, by TSID or by the sender's id. Errc::not_found.
Async<Result<event::Record>> find_event(Services& services, const http::Request& request);

}  // namespace millrace::api
