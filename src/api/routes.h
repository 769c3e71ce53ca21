// The endpoint table: every operation with its method, path and scope, in one place.
#pragma once

#include <cstddef>
#include <vector>

#include "api/services.h"
#include "http/endpoint.h"

namespace millrace::api {

// The services outlive the endpoints. `body_bytes_max` bounds the bodies with many items.
std::vector<http::Endpoint> make_endpoints(Services& services, std::size_t body_bytes_max);

}  // namespace millrace::api
