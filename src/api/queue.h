// The queue API (S4), one function an operation; a file a group of them. Mounted by routes.cc.
#pragma once

#include "api/respond.h"
#include "api/services.h"

namespace millrace::api {

Async<Answer> create_items(Services& services, http::Request& request);
Async<Answer> subscribe(Services& services, http::Request& request);
Async<Answer> start_item(Services& services, http::Request& request);
Async<Answer> heartbeat_item(Services& services, http::Request& request);
Async<Answer> complete_item(Services& services, http::Request& request);
Async<Answer> fail_item(Services& services, http::Request& request);
Async<Answer> settle_items(Services& services, http::Request& request);
Async<Answer> reset_item(Services& services, http::Request& request);
Async<Answer> get_item(Services& services, http::Request& request);
Async<Answer> list_items(Services& services, http::Request& request);
Async<Answer> list_workers(Services& services, http::Request& request);
Async<Answer> queue_stats(Services& services, http::Request& request);

// The item that the path names. Errc::not_found also for what is no id.
Result<ItemId> item_in_path(const http::Request& request);
std::unexpected<Error> unknown_item(std::string_view id);

}  // namespace millrace::api
