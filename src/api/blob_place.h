// Where blobs are kept, as `--blobs` says it: a folder, s3://bucket, or the PostgreSQL store's own table.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/time.h"
#include "blob/blob_store.h"

namespace millrace::api {

struct BlobPlace {
  std::string blobs;  // DIR | s3://bucket[/prefix][?endpoint=…&region=…] | postgres | memory; "" = beside the store
  std::string data;   // folder of the embedded store
  std::string store;  // "postgres://…", "memory://"; "" = embedded
};

// getenv() or a test's own.
using ReadVariable = std::function<const char*(const char* name)>;

// Throws Unavailable, also for a place that does not fit the store. `clock` outlives what it returns.
std::unique_ptr<blob::BlobStore> open_blobs(const BlobPlace& place, const Clock& clock, const ReadVariable& variable);

}  // namespace millrace::api
