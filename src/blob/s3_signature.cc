#include "blob/s3_signature.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>

#include "base/assert.h"
#include "base/digest.h"

namespace millrace::blob {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

std::string hmac(std::string_view key, std::string_view text) {
  std::string out(32, '\0');
  unsigned size = 0;
  const unsigned char* made =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
           text.size(), reinterpret_cast<unsigned char*>(out.data()), &size);
  MR_ASSERT(made != nullptr && size == out.size(), "OpenSSL has HMAC-SHA256");
  return out;
}

// "20130524T000000Z"
std::string basic_time(Time now) {
  std::string text = format_time(now);  // 2013-05-24T00:00:00.000Z
  text.erase(19, 4);
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

std::string signed_names(const S3Request& request) {
  std::string names;
  for (const auto& [name, value] : request.headers) names += (names.empty() ? "" : ";") + name;
  return names;
}

std::string canonical(const S3Request& request) {
  std::string text =
      fmt::format("{}\n{}\n{}\n", request.method, s3_encode(request.path, Slash::kept), s3_query(request.query));
  for (const auto& [name, value] : request.headers) text += fmt::format("{}:{}\n", name, value);
  text += fmt::format("\n{}\n{}", signed_names(request), request.digest);
  return text;
}

}  // namespace

std::string s3_encode(std::string_view text, Slash slash) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~' || (c == '/' && slash == Slash::kept);
    if (plain) {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string s3_query(const S3Request::Pairs& query) {
  S3Request::Pairs encoded;
  for (const auto& [name, value] : query) {
    encoded.emplace_back(s3_encode(name, Slash::encoded), s3_encode(value, Slash::encoded));
  }
  std::ranges::sort(encoded);
  std::string text;
  for (const auto& [name, value] : encoded) text += fmt::format("{}{}={}", text.empty() ? "" : "&", name, value);
  return text;
}

std::string sign_s3(S3Request& request, const S3Credentials& credentials, std::string_view region, Time now) {
  const std::string time = basic_time(now);
  const std::string scope = fmt::format("{}/{}/s3/aws4_request", time.substr(0, 8), region);
  request.headers.emplace_back("x-amz-content-sha256", request.digest);
  request.headers.emplace_back("x-amz-date", time);
  if (!credentials.session_token.empty()) {
    request.headers.emplace_back("x-amz-security-token", credentials.session_token);
  }
  std::ranges::sort(request.headers);
  const std::string to_sign =
      fmt::format("{}\n{}\n{}\n{}", kAlgorithm, time, scope, to_hex(sha256(canonical(request))));
  std::string key = hmac("AWS4" + credentials.secret_key, time.substr(0, 8));
  for (const std::string_view part : {region, std::string_view("s3"), std::string_view("aws4_request")}) {
    key = hmac(key, part);
  }
  return fmt::format("{} Credential={}/{},SignedHeaders={},Signature={}", kAlgorithm, credentials.access_key, scope,
                     signed_names(request), to_hex(hmac(key, to_sign)));
}

}  // namespace millrace::blob
