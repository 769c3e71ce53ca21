#include "blob/s3_store.h"

#include <gtest/gtest.h>

#include <map>

#include "base/unavailable.h"
#include "blob/s3_listing.h"

namespace millrace::blob {
namespace {

class S3Url : public testing::Test {
 protected:
  S3Options read(std::string_view url) {
    return read_s3_url(url, [this](const char* name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? nullptr : found->second.c_str();
    });
  }
  std::map<std::string, std::string> variables_ = {{"MILLRACE_S3_ACCESS_KEY", "a"}, {"MILLRACE_S3_SECRET_KEY", "s"}};
};

TEST_F(S3Url, NamesBucketPrefixEndpointAndRegion) {  // S0.9
  const S3Options options = read("s3://b/some/where?endpoint=http://127.0.0.1:4568/&region=eu-west-1");
  EXPECT_EQ(options.bucket, "b");
  EXPECT_EQ(options.prefix, "some/where/");
  EXPECT_EQ(options.endpoint, "http://127.0.0.1:4568");
  EXPECT_EQ(options.region, "eu-west-1");
  EXPECT_EQ(options.credentials.access_key, "a");
}

TEST_F(S3Url, WithoutAnEndpointIsAmazons) {
  EXPECT_EQ(read("s3://b").endpoint, "https://s3.us-east-1.amazonaws.com");
  variables_["AWS_REGION"] = "eu-north-1";
  EXPECT_EQ(read("s3://b").endpoint, "https://s3.eu-north-1.amazonaws.com");
}

TEST_F(S3Url, TakesTheUsualVariablesToo) {
  variables_ = {{"AWS_ACCESS_KEY_ID", "i"}, {"AWS_SECRET_ACCESS_KEY", "k"}, {"AWS_SESSION_TOKEN", "t"}};
  EXPECT_EQ(read("s3://b").credentials.secret_key, "k");
  EXPECT_EQ(read("s3://b").credentials.session_token, "t");
}

TEST_F(S3Url, SaysWhatIsMissing) {
  for (const char* url : {"s3://", "s3:///x", "s3://b?endpoint=ftp://x", "s3://b?endpoint=http://h/path", "s3://b?x=1",
                          "s3://b?endpoint=http://k:s@h"}) {
    EXPECT_THROW(read(url), Unavailable) << url;
  }
  variables_.clear();
  EXPECT_THROW(read("s3://b"), Unavailable);
}

TEST(S3Listing, ReadsObjectsAndWhetherThereAreMore) {
  const auto listing = parse_s3_listing(R"(<?xml version="1.0"?><ListBucketResult xmlns="http://s3">
<Name>b</Name><IsTruncated>true</IsTruncated>
<Contents><Key>a/x&amp;y&#228;&#x41;</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><Size>3</Size></Contents>
<Contents><LastModified>2026-01-02T03:04:06.000Z</LastModified><Key>b</Key></Contents></ListBucketResult>)");
  ASSERT_TRUE(listing);
  ASSERT_EQ(listing->objects.size(), 2u);
  EXPECT_EQ(listing->objects[0].key,
            "a/x&y\xc3\xa4"
            "A");
  EXPECT_EQ(listing->objects[0].written, *parse_time("2026-01-02T03:04:05Z"));
  EXPECT_TRUE(listing->truncated);
}

TEST(S3Listing, IsNoneOfWhatIsNot) {
  EXPECT_FALSE(parse_s3_listing(""));
  EXPECT_FALSE(parse_s3_listing("<Error><Code>AccessDenied</Code></Error>"));
  EXPECT_FALSE(parse_s3_listing("<ListBucketResult><Contents><Key>k</Key></Contents></ListBucketResult>"));
  EXPECT_TRUE(parse_s3_listing("<ListBucketResult/>")->objects.empty());
}

}  // namespace
}  // namespace millrace::blob
