// The examples of the S3 documentation, "Authenticating Requests: Using the Authorization Header".
#include "blob/s3_signature.h"

#include <gtest/gtest.h>

#include "base/digest.h"

namespace millrace::blob {
namespace {

const S3Credentials kExample{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
const Time kThen = *parse_time("2013-05-24T00:00:00Z");

S3Request request(std::string method, std::string path, std::string_view body = "") {
  return {.method = std::move(method),
          .path = std::move(path),
          .headers = {{"host", "examplebucket.s3.amazonaws.com"}},
          .digest = to_hex(sha256(body))};
}

std::string signature(S3Request request) {
  const std::string header = sign_s3(request, kExample, "us-east-1", kThen);
  return header.substr(header.find("Signature=") + 10);
}

TEST(S3Signature, OfAGetWithARange) {  // S0.9
  S3Request get = request("GET", "/test.txt");
  get.headers.emplace_back("range", "bytes=0-9");
  EXPECT_EQ(sign_s3(get, kExample, "us-east-1", kThen),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(S3Signature, OfAPut) {  // S0.9
  S3Request put = request("PUT", "/test$file.text", "Welcome to Amazon S3.");
  put.headers.emplace_back("date", "Fri, 24 May 2013 00:00:00 GMT");
  put.headers.emplace_back("x-amz-storage-class", "REDUCED_REDUNDANCY");
  EXPECT_EQ(signature(put), "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST(S3Signature, OfAQueryWithoutAValue) {  // S0.9
  S3Request get = request("GET", "/");
  get.query = {{"lifecycle", ""}};
  EXPECT_EQ(signature(get), "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
}

TEST(S3Signature, OfAListing) {  // S0.9
  S3Request get = request("GET", "/");
  get.query = {{"prefix", "J"}, {"max-keys", "2"}};
  EXPECT_EQ(signature(get), "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(S3Signature, CoversTheSession) {
  S3Request get = request("GET", "/");
  S3Credentials session = kExample;
  session.session_token = "token";
  EXPECT_NE(sign_s3(get, session, "us-east-1", kThen).find("x-amz-security-token"), std::string::npos);
}

TEST(S3Signature, EncodesWhatAUrlDoesNotSayAsItIs) {
  EXPECT_EQ(s3_encode("a/b c+~%\xc3\xa4", Slash::kept), "a/b%20c%2B~%25%C3%A4");
  EXPECT_EQ(s3_encode("a/b", Slash::encoded), "a%2Fb");
}

}  // namespace
}  // namespace millrace::blob
