// AWS Signature Version 4, as S3 and what imitates it want it: the header form, with the body's digest. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"

namespace millrace::blob {

struct S3Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token = {};  // "" = none
};

struct S3Request {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  std::string method;
  std::string path;    // as it is, not encoded; begins with '/'
  Pairs query = {};    // neither encoded nor sorted
  Pairs headers = {};  // names in lower case; all of them are signed, `host` must be among them
  std::string digest;  // SHA-256 of the body, in hex
};

// Everything but A-Z a-z 0-9 - . _ ~ as %XX; a slash too unless it is kept.
enum class Slash { kept, encoded };
std::string s3_encode(std::string_view text, Slash slash);
// "a=1&b=%20", sorted as the signature wants it; also what goes into the URL.
std::string s3_query(const S3Request::Pairs& query);

// Adds x-amz-content-sha256, x-amz-date and, with a session, x-amz-security-token to the request, and returns the value
// of Authorization.
std::string sign_s3(S3Request& request, const S3Credentials& credentials, std::string_view region, Time now);

}  // namespace millrace::blob
