#include "api/access.h"

#include <gmock/gmock.h>

#include "api/access_key.h"

namespace millrace::api {
namespace {

using testing::HasSubstr;

const Time kNow = time_from_ms(1'700'000'000'000);

class AccessTest : public testing::Test {
 protected:
  Access make(AccessOptions options) {
    return Access(std::move(options), clock_, [this] { return catalog_; }, [this] { return ready_; });
  }
  NewKey add_key(std::initializer_list<std::string_view> names, std::optional<Time> expires = {}) {
    Scopes scopes;
    for (const std::string_view name : names) scopes.add(name);
    NewKey made = make_key(*TenantId::parse("acme"), scopes, "test", expires, kNow);
    put(made.key);
    return made;
  }
  void put(const AccessKey& key) {
    auto next = std::make_shared<engine::Catalog>(*catalog_);
    (*next)[std::string(kKeyKind)].insert_or_assign(
        key.id, shard::Document{std::string(kKeyKind), key.id, key.tenant, 1, to_document(key), kNow});
    catalog_ = std::move(next);
  }

  ManualClock clock_{kNow};
  bool ready_ = true;
  std::shared_ptr<const engine::Catalog> catalog_ = std::make_shared<const engine::Catalog>();
};

using Fields = std::vector<http::Field>;

// What the guard says to a request with these header fields at an endpoint with this scope.
struct Asked {
  Asked(const Access& access, Fields fields, std::string_view scope = kEventsRead, http::Endpoint endpoint = {}) {
    request.head.fields = std::move(fields);
    endpoint.scope = scope;
    result = access.admit(request, endpoint);
  }
  http::Request request;
  Result<void> result;
};

TEST_F(AccessTest, WithoutKeysTheTenantIsDefaultOrTheOneNamed) {
  const Access access = make({.mode = AuthMode::off, .listen_host = "127.0.0.1", .admin_key = ""});
  const Asked plain(access, {{"Host", "localhost:8080"}}, kOperator);
  ASSERT_TRUE(plain.result);
  EXPECT_EQ(caller_of(plain.request).tenant.text(), "default");
  const Asked named(access, {{"Host", "127.0.0.1"}, {"X-Millrace-Tenant", "acme"}});
  ASSERT_TRUE(named.result);
  EXPECT_EQ(caller_of(named.request).tenant.text(), "acme");
  for (const char* tenant : {"", "ACME", "a/b", "-a", "a b"}) {
    const Asked bad(access, {{"Host", "localhost"}, {"X-Millrace-Tenant", tenant}});
    ASSERT_FALSE(bad.result) << tenant;
    EXPECT_EQ(bad.result.error().code, Errc::bad_query) << tenant;
  }
}

TEST_F(AccessTest, WithoutKeysAForeignHostOrOriginIsRefused) {
  const Access access = make({.mode = AuthMode::off, .listen_host = "127.0.0.1", .admin_key = ""});
  for (const char* host : {"localhost", "LOCALHOST:1", "127.0.0.1:8080", "[::1]:8080", "[::1]"}) {
    EXPECT_TRUE(Asked(access, {{"Host", host}}).result) << host;
    EXPECT_TRUE(Asked(access, {{"Host", "localhost"}, {"Origin", std::string("http://") + host}}).result) << host;
  }
  for (const char* host : {"evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example", "",
                           "10.0.0.1", "[::2]"}) {
    const Asked asked(access, {{"Host", host}});
    ASSERT_FALSE(asked.result) << host;
    EXPECT_EQ(asked.result.error().code, Errc::forbidden) << host;
  }
  for (const char* origin : {"null", "https://evil.example", "http://localhost.evil.example:8080", "localhost"}) {
    EXPECT_FALSE(Asked(access, {{"Host", "localhost"}, {"Origin", origin}}).result) << origin;
  }
}

// A browser sends no Origin with an image or a form that GETs, but says that another site asks.
TEST_F(AccessTest, WithoutKeysAnotherSiteMayOnlyLinkToWhatIsRead) {
  const Access access = make({.mode = AuthMode::off, .listen_host = "127.0.0.1", .admin_key = ""});
  const auto admitted = [&](std::string site, std::string mode, http::Endpoint endpoint) {
    const Fields fields{
        {"Host", "localhost"}, {"Sec-Fetch-Site", std::move(site)}, {"Sec-Fetch-Mode", std::move(mode)}};
    return Asked(access, fields, kEventsRead, std::move(endpoint)).result.has_value();
  };
  const http::Endpoint reads{.method = http::Method::get};
  const http::Endpoint leases{.method = http::Method::get, .no_head = true};
  const http::Endpoint writes{.method = http::Method::post};
  EXPECT_TRUE(admitted("cross-site", "navigate", reads));
  EXPECT_FALSE(admitted("cross-site", "no-cors", reads));
  for (const char* mode : {"navigate", "no-cors"}) {
    EXPECT_FALSE(admitted("cross-site", mode, leases)) << mode;
    EXPECT_FALSE(admitted("Cross-Site", mode, writes)) << mode;
    for (const char* site : {"none", "same-origin", "same-site"}) {
      EXPECT_TRUE(admitted(site, mode, leases)) << site;
      EXPECT_TRUE(admitted(site, mode, writes)) << site;
    }
  }
  const Access keys = make({.mode = AuthMode::keys, .listen_host = "", .admin_key = "bootstrap-secret"});
  EXPECT_TRUE(
      Asked(keys, {{"Authorization", "Bearer bootstrap-secret"}, {"Sec-Fetch-Site", "cross-site"}}, kAdmin, leases)
          .result);
}

TEST_F(AccessTest, WhatIsOpenLooksAtItsKeyAgain) {
  const Access access = make({.mode = AuthMode::keys, .listen_host = "", .admin_key = "bootstrap-secret"});
  NewKey made = add_key({kEventsRead}, kNow + std::chrono::hours(1));
  const Asked asked(access, {{"Authorization", "Bearer " + made.text}});
  ASSERT_TRUE(asked.result);
  const Caller& caller = caller_of(asked.request);
  EXPECT_EQ(caller.key, made.key.id);
  EXPECT_TRUE(check_again(*catalog_, caller, kNow));
  EXPECT_EQ(check_again(*catalog_, caller, *caller.expires).error().code, Errc::unauthenticated);
  EXPECT_FALSE(check_again(engine::Catalog(), caller, kNow));
  made.key.revoked = kNow;
  put(made.key);
  EXPECT_FALSE(check_again(*catalog_, caller, kNow));
  const Asked admin(access, {{"Authorization", "Bearer bootstrap-secret"}});
  EXPECT_TRUE(check_again(*catalog_, caller_of(admin.request), kNow));
}

TEST_F(AccessTest, AKeyDecidesTheTenant) {
  const Access access = make({.mode = AuthMode::keys, .listen_host = "0.0.0.0", .admin_key = ""});
  const NewKey key = add_key({kEventsRead});
  const std::string header = "Bearer " + key.text;
  const Asked asked(access, {{"Host", "any.example"}, {"Authorization", header}});
  ASSERT_TRUE(asked.result);
  EXPECT_EQ(caller_of(asked.request).tenant.text(), "acme");
  EXPECT_EQ(caller_of(asked.request).actor, "key:" + key.key.id);
  const Asked foreign(access, {{"Authorization", header}, {"X-Millrace-Tenant", "other"}});
  EXPECT_EQ(foreign.result.error().code, Errc::forbidden);
}

TEST_F(AccessTest, AMissingScopeIsNamed) {
  const Access access = make({.mode = AuthMode::keys, .listen_host = "", .admin_key = ""});
  const std::string header = "Bearer " + add_key({kEventsRead}).text;
  const Asked asked(access, {{"Authorization", header}}, kQueueWork);
  ASSERT_FALSE(asked.result);
  EXPECT_EQ(asked.result.error().code, Errc::forbidden);
  EXPECT_THAT(asked.result.error().detail, HasSubstr("queue:work"));
}

TEST_F(AccessTest, WrongKeysAreAllRefusedAlike) {
  const Access access = make({.mode = AuthMode::keys, .listen_host = "", .admin_key = ""});
  const NewKey good = add_key({kEventsRead}, kNow + std::chrono::hours(1));
  NewKey revoked = add_key({kEventsRead});
  revoked.key.revoked = kNow;
  put(revoked.key);
  const std::string wrong_secret = good.text.substr(0, good.text.size() - 1) + (good.text.back() == '0' ? "1" : "0");
  EXPECT_TRUE(Asked(access, {{"Authorization", "bearer " + good.text}}).result);
  for (const std::string& header :
       {std::string(), std::string("Bearer "), std::string("Bearer mr_x_y"), std::string("Bearer mr__"),
        std::string("Basic " + good.text), "Bearer " + wrong_secret, "Bearer " + revoked.text}) {
    const Asked asked(access, {{"Authorization", header}});
    ASSERT_FALSE(asked.result) << header;
    EXPECT_EQ(asked.result.error().code, Errc::unauthenticated) << header;
  }
  EXPECT_EQ(Asked(access, {}).result.error().code, Errc::unauthenticated);
  clock_.advance(std::chrono::hours(1));
  EXPECT_EQ(Asked(access, {{"Authorization", "Bearer " + good.text}}).result.error().code, Errc::unauthenticated);
}

TEST_F(AccessTest, TheAdminKeyMayDoEverythingForEveryTenant) {
  const Access access = make({.mode = AuthMode::keys, .listen_host = "", .admin_key = "bootstrap-secret"});
  const Asked asked(access, {{"Authorization", "Bearer bootstrap-secret"}, {"X-Millrace-Tenant", "acme"}}, kOperator);
  ASSERT_TRUE(asked.result);
  EXPECT_EQ(caller_of(asked.request).tenant.text(), "acme");
  EXPECT_FALSE(Asked(access, {{"Authorization", "Bearer bootstrap-secre"}}).result);
}

TEST_F(AccessTest, BeforeRecoveryOnlyOpenEndpointsAnswer) {
  const Access access = make({.mode = AuthMode::off, .listen_host = "127.0.0.1", .admin_key = ""});
  ready_ = false;
  EXPECT_EQ(Asked(access, {{"Host", "localhost"}}).result.error().code, Errc::unavailable);
  EXPECT_TRUE(Asked(access, {{"Host", "localhost"}}, "").result);
}

TEST(Scopes, AdminCoversItsTenantAndOperatorAll) {
  Scopes admin;
  EXPECT_TRUE(admin.add(kAdmin));
  EXPECT_FALSE(admin.add("root"));
  EXPECT_TRUE(admin.allow(kQueueWork));
  EXPECT_FALSE(admin.allow(kOperator));
  Scopes op;
  op.add(kOperator);
  EXPECT_TRUE(op.allow(kAdmin));
  EXPECT_FALSE(Scopes().allow(kEventsRead));
}

TEST(AccessKey, DocumentComesBackAndTheDescriptionHasNoHash) {
  Scopes scopes;
  scopes.add(kEventsWrite);
  const NewKey made = make_key(*TenantId::parse("acme"), scopes, "ci \"x\"", kNow + Millis(5), kNow);
  const std::optional<AccessKey> read = from_document(to_document(made.key));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->id, made.key.id);
  EXPECT_EQ(read->tenant, made.key.tenant);
  EXPECT_EQ(read->scopes, scopes);
  EXPECT_EQ(read->name, "ci \"x\"");
  EXPECT_EQ(read->expires, kNow + Millis(5));
  EXPECT_TRUE(is_text_of(*read, made.text));
  EXPECT_EQ(id_in_key(made.text), made.key.id);
  EXPECT_EQ(describe(made.key).find(made.key.hash), std::string::npos);
  EXPECT_EQ(to_document(made.key).find(made.text), std::string::npos);
  EXPECT_FALSE(from_document("{}"));
  EXPECT_FALSE(from_document("nonsense"));
}

TEST(AccessKey, ItsSecretIsLeftOutOfTexts) {
  const NewKey made = make_key(TenantId::default_tenant(), {}, "", std::nullopt, kNow);
  const std::string shown = "mr_" + made.key.id + "_…";
  EXPECT_EQ(without_secrets(made.text), shown);
  EXPECT_EQ(without_secrets("/a/" + made.text + "/b/" + made.text), "/a/" + shown + "/b/" + shown);
  EXPECT_EQ(without_secrets("there is no rule \"" + made.text + "\""), "there is no rule \"" + shown + "\"");
  for (const char* text : {"", "/events/7", "mr_", "mr_smith_x", "mr_0123456789abcdef", "mr_mr_0123456789abcde_x"})
    EXPECT_EQ(without_secrets(text), text);
}

TEST(Loopback, IsKnownForAddressesAndLocalhost) {
  for (const char* address : {"127.0.0.1", "127.1.2.3", "::1", "localhost"})
    EXPECT_TRUE(is_loopback(address)) << address;
  for (const char* address : {"0.0.0.0", "::", "10.0.0.1", "example.com", ""})
    EXPECT_FALSE(is_loopback(address)) << address;
}

}  // namespace
}  // namespace millrace::api
