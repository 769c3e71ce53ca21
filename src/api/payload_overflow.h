// Payloads of work items that are too large for the item's row (S4.13). They are kept in the blob store; the body
// holds a reference, and a worker gets either. A reference of ours begins with a space: compact JSON, which every
// payload is that a sender wrote, never does.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/claimed.h"
#include "api/services.h"
#include "http/request.h"

namespace millrace::api {

enum class PayloadForm { inlined, reference };

// ?payload=inline|reference, inline if absent. Errc::bad_query.
Result<PayloadForm> read_payload_form(const http::Request& request);

bool any_is_large(const Services& services, const std::vector<shard::NewItem>& items);

// Moves what is over the threshold. Returns the payloads in the items' order, "" where the item kept its own.
// Throws BlobsAway.
async::Async<std::vector<std::string>> move_large_payloads(Services& services, queue::QueueKey queue,
                                                           std::vector<shard::NewItem>& items);

bool any_is_moved(const Bodies& bodies);

// Brings payloads back where the form asks for it. One that is missing from the store stays a reference, with
// "missing": true, and is logged: the item must reach somebody who can fail it. Throws BlobsAway.
async::Async<void> inline_payloads(Services& services, TenantId tenant, PayloadForm form, Bodies& bodies);

// The key in the blob store; "" if the payload is in its place.
std::string overflow_key(const std::string& payload);

}  // namespace millrace::api
