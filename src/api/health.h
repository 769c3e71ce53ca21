// How the server is: alive, ready, its numbers, its contract.
#pragma once

#include "api/respond.h"
#include "api/services.h"

namespace millrace::api {

Async<Answer> healthz(Services& services, http::Request& request);
Async<Answer> readyz(Services& services, http::Request& request);
Async<Answer> metrics_text(Services& services, http::Request& request);
Async<Answer> openapi_json(Services& services, http::Request& request);
// Reads the body and answers: what a request costs before any work is done, for benchmarks.
Async<Answer> ping(Services& services, http::Request& request);

// Adds the engine's numbers to what /metrics tells. Before the server starts.
void publish_engine_numbers(http::Metrics& metrics, engine::Engine& engine);
// The same of the blob store, which outlives the metrics.
void publish_blob_numbers(http::Metrics& metrics, const blob::BlobStore& blobs);

}  // namespace millrace::api
