// The endpoint table: every operation with its method, path, scope and query parameters, in one place.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "api/services.h"
#include "http/endpoint.h"

namespace millrace::api {

// The services outlive the endpoints. `body_bytes_max` bounds the bodies with many items.
std::vector<http::Endpoint> make_endpoints(Services& services, std::size_t body_bytes_max);

// The query parameters that an operation reads, as Query::refuse_unknown() takes them; others are refused before it
// runs. REQUIRES: the table has the operation.
std::string_view query_of(std::string_view operation);

}  // namespace millrace::api
