// Blobs in a bucket of S3, or of anything that speaks its protocol. Objects are <prefix><tenant>/<key>; requests name
// the bucket in the path and are signed (s3_signature.h). One bucket, or one prefix of it, belongs to one installation:
// what nothing refers to is removed from it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "blob/blob_store.h"
#include "blob/s3_signature.h"

namespace millrace::blob {

struct S3Options {
  std::string endpoint;  // "https://host[:port]"
  std::string bucket;
  std::string prefix;  // "" or ends with '/'
  std::string region = "us-east-1";
  S3Credentials credentials;
  Millis timeout = std::chrono::seconds(20);  // of one request
};

// s3://bucket[/prefix][?endpoint=https://host:port&region=name], with the credentials from MILLRACE_S3_ACCESS_KEY and
// MILLRACE_S3_SECRET_KEY, else AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. Without an endpoint it
// is Amazon's for the region. Throws Unavailable naming what is missing or wrong.
S3Options read_s3_url(std::string_view url, const std::function<const char*(const char* name)>& variable);

// Sends nothing yet.
std::unique_ptr<BlobStore> open_s3(S3Options options);

}  // namespace millrace::blob
