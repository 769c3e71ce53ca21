// Whether a request's body may be read at all, decided from its head. Pure.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "http/endpoint.h"
#include "http/framing.h"

namespace millrace::http {

// The largest body that is read for the endpoint; what BodyRule::none reads it drops.
std::size_t body_limit(const Endpoint& endpoint);

// Errc::unsupported_media for an encoded body, or at a JSON endpoint one that is not said to be JSON;
// Errc::too_large for a declared length beyond the limit.
Result<void> check_content(const Head& head, const Endpoint& endpoint);

}  // namespace millrace::http
