// The JSON of rules and their targets (S2.8, S2.9).
#include "intake/rule.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "intake/target.h"
#include "json/parse.h"

namespace millrace::intake {
namespace {

Result<Rule> parse(const std::string& body, std::string_view name = "r") {
  const auto document = json::parse(std::string_view(body));
  EXPECT_TRUE(document) << body;
  return parse_rule(name, document->root());
}

std::string text_of(const Rule& rule) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  write_members(out, rule);
  out.end_object();
  return text;
}

Result<Rule> with_target(const std::string& members) {
  return parse(R"({"pattern": {"source": ["a"]}, "targets": [{"id": "t", )" + members + "}]}");
}

TEST(Rule, ReadsWhatItWrites) {
  const auto rule = parse(R"({
    "pattern": {"detail-type": [ "order.created" ], "detail": {"amount": [{"numeric": [">", 100]}]}},
    "description": "large orders", "enabled": false, "bus": "orders",
    "targets": [
      {"id": "hook", "type": "webhook", "url": "https://example.com/in?x=1", "deadLetter": false,
       "retry": {"maxAttempts": 0, "maxAgeSeconds": 60, "initialDelayMs": 10, "maxDelayMs": 10},
       "inputTransformer": {"paths": {"id": "$.detail.items[0].id"}, "template": "{\"id\": <id>, \"all\": <aws.events.event>}"}},
      {"id": "pull", "type": "queue", "queue": "work"},
      {"id": "next", "type": "bus", "bus": "other"},
      {"id": "away", "type": "bus", "url": "http://[::1]:8080/api/events"},
      {"id": "tell", "type": "alert"},
      {"id": "code", "type": "handler", "handler": "bill"}]})");
  ASSERT_TRUE(rule) << rule.error().field << rule.error().detail;
  EXPECT_FALSE(rule->enabled);
  EXPECT_EQ(rule->targets[0].retry.max_attempts, 0);
  EXPECT_EQ(rule->targets[1].retry, TargetRetry());
  EXPECT_EQ(rule->pattern, R"({"detail-type":["order.created"],"detail":{"amount":[{"numeric":[">",100]}]}})");
  const auto again = parse(text_of(*rule));
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(*again, *rule);
}

TEST(Rule, IsEnabledAndForEveryBusUnlessItSaysOtherwise) {
  const auto rule = parse(R"({"pattern": {"source": ["a"]}})");
  ASSERT_TRUE(rule);
  EXPECT_TRUE(rule->enabled);
  EXPECT_EQ(rule->bus, "");
  EXPECT_TRUE(rule->targets.empty());
}

TEST(Rule, TakesBackWhatAnAnswerAdded) {
  EXPECT_TRUE(parse(R"({"name": "r", "pattern": {"a": [1]}, "version": 3, "createdAt": "x", "updatedAt": "x"})"));
}

TEST(Rule, NamesTheFieldThatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {R"([])", ""},
      {R"({})", "pattern"},
      {R"({"pattern": {}})", "pattern"},
      {R"({"pattern": {"a": 1}})", "pattern.a"},
      {R"({"pattern": {"a": [1]}, "enabled": "yes"})", "enabled"},
      {R"({"pattern": {"a": [1]}, "retires": {}})", "retires"},
      {R"({"pattern": {"a": [1]}, "name": "other"})", "name"},
      {R"({"pattern": {"a": [1]}, "targets": {}})", "targets"},
      {R"({"pattern": {"a": [1]}, "targets": [7]})", "targets[0]"},
      {R"({"pattern": {"a": [1]}, "targets": [{"id": "x", "type": "alert"}, {"id": "x", "type": "alert"}]})",
       "targets[1].id"},
  };
  for (const auto& [body, field] : cases) {
    const auto rule = parse(body);
    ASSERT_FALSE(rule) << body;
    EXPECT_EQ(rule.error().code, Errc::invalid);
    EXPECT_EQ(rule.error().field, field) << body << rule.error().detail;
  }
}

TEST(Target, TakesTheFieldOfItsTypeOnly) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("type": "mail")", "targets[0].type"},
      {R"("type": "webhook")", "targets[0].url"},
      {R"("type": "queue")", "targets[0].queue"},
      {R"("type": "bus")", "targets[0].bus"},
      {R"("type": "queue", "queue": "a b")", "targets[0].queue"},
      {R"("type": "webhook", "url": "http://a", "queue": "q")", "targets[0].queue"},
      {R"("type": "queue", "queue": "q", "url": "http://a")", "targets[0].url"},
      {R"("type": "bus", "bus": "b", "url": "http://a")", "targets[0].bus"},
      {R"("type": "alert", "handler": "h")", "targets[0].handler"},
      {R"("type": "alert", "deadLetters": true)", "targets[0].deadLetters"},
      {R"("type": "alert", "retry": {"maxAttempts": -1})", "targets[0].retry.maxAttempts"},
      {R"("type": "alert", "retry": {"maxAttempts": 1001})", "targets[0].retry.maxAttempts"},
      {R"("type": "alert", "retry": {"attempts": 1})", "targets[0].retry.attempts"},
      {R"("type": "alert", "retry": {"maxAgeSeconds": 0})", "targets[0].retry.maxAgeSeconds"},
      {R"("type": "alert", "retry": {"initialDelayMs": 20, "maxDelayMs": 10})", "targets[0].retry.maxDelayMs"},
      {R"("type": "alert", "inputTransformer": {"paths": {}})", "targets[0].inputTransformer.template"},
      {R"("type": "alert", "inputTransformer": {"template": "<who>"})", "targets[0].inputTransformer.template"},
      {R"("type": "alert", "inputTransformer": {"paths": {"a": "detail"}, "template": "<a>"})",
       "targets[0].inputTransformer.paths.a"},
  };
  for (const auto& [members, field] : cases) {
    const auto rule = with_target(members);
    ASSERT_FALSE(rule) << members;
    EXPECT_EQ(rule.error().field, field) << members << rule.error().detail;
  }
}

TEST(Target, ADelayBeyondTheUsualLimitRaisesTheLimit) {
  const auto rule = with_target(R"("type": "alert", "retry": {"initialDelayMs": 120000})");
  ASSERT_TRUE(rule) << rule.error().detail;
  EXPECT_EQ(rule->targets[0].retry.max_delay_ms, 120'000);
}

TEST(Target, KnowsAnAddressThatCanBeDeliveredTo) {
  for (const char* url : {"http://a", "https://a.example:8443/x?y=1", "http://[::1]/", "http://[::1]:80"}) {
    EXPECT_EQ(url_problem(url), "") << url;
  }
  for (const char* url : {"", "a", "ftp://a", "http://", "http://:80", "http://a:0", "http://a:x", "http://a:70000",
                          "http://u:p@a", "http://a b", "http://a/\n", "http://a#f", "http://[]", "http://[::1",
                          "http://a]", "file:///etc/passwd", "javascript:alert(1)"}) {
    EXPECT_NE(url_problem(url), "") << url;
  }
}

TEST(Rule, HasAPlainName) {
  EXPECT_TRUE(check_rule_name("orders.large-1_x"));
  for (const std::string& name : {std::string(), std::string("a b"), std::string("a/b"), std::string(65, 'x')}) {
    EXPECT_FALSE(check_rule_name(name)) << name;
  }
}

Result<Rule> patched(const Rule& old, std::string_view body) {
  const auto document = json::parse(body);
  return merge_rule(old, document->root());
}

// What goes beyond EventBridge is asked for.
TEST(Rule, IsExtendedOnlyIfItSaysSo) {  // S2.8
  for (const char* pattern : {R"({"a":[{"regex":"x+"}]})", R"({"$not":{"a":[1]}})", R"({"$and":[{"a":[1]},{"a":[2]}]})",
                              R"({"a":[{"cidr":"10.0.0.1/32"}]})", R"({"a":[{"numeric":["=",9007199254740993]}]})"}) {
    const auto refused = parse(fmt::format(R"({{"pattern":{}}})", pattern));
    ASSERT_FALSE(refused) << pattern;
    EXPECT_THAT(refused.error().detail, testing::HasSubstr(R"("dialect": "extended")"));
    EXPECT_THAT(refused.error().field, testing::StartsWith("pattern."));
    EXPECT_FALSE(parse(fmt::format(R"({{"pattern":{},"dialect":"eventbridge"}})", pattern)));
    const auto rule = parse(fmt::format(R"({{"pattern":{},"dialect":"extended"}})", pattern));
    ASSERT_TRUE(rule) << rule.error().detail;
    EXPECT_EQ(*parse(text_of(*rule)), *rule);
  }
  // The dialect does not help what is wrong in both.
  const auto wrong = parse(R"({"pattern":{"a":[{"prefix":7}]}})");
  EXPECT_THAT(wrong.error().detail, testing::Not(testing::HasSubstr("dialect")));
  EXPECT_EQ(parse(R"({"pattern":{"a":[1]},"dialect":"sql"})").error().field, "dialect");
}

TEST(Rule, KeepsItsDialectUntilItIsChanged) {  // S2.8
  const auto old = parse(R"({"pattern": {"a": [{"regex": "x"}]}, "dialect": "extended"})");
  ASSERT_TRUE(old);
  EXPECT_EQ(patched(*old, R"({"enabled": false})")->dialect, match::Dialect::extended);
  EXPECT_TRUE(patched(*old, R"({"pattern": {"a": [{"regex": "y"}]}})"));
  for (const char* body : {R"({"dialect": "eventbridge"})", R"({"dialect": null})"}) {
    EXPECT_EQ(patched(*old, body).error().field, "pattern.a[0]") << body;
  }
  EXPECT_EQ(patched(*old, R"({"dialect": null, "pattern": {"a": [1]}})")->dialect, match::Dialect::eventbridge);
}

// Rules that were saved when every rule was extended.
TEST(Rule, StoredWithoutADialectHasTheOneThatItNeeds) {  // S2.8
  const auto stored = [](const char* text) {
    const auto document = json::parse(std::string_view(text));
    return parse_stored_rule("r", document->root());
  };
  EXPECT_EQ(stored(R"({"name":"r","pattern":{"a":[{"regex":"x"}]}})")->dialect, match::Dialect::extended);
  EXPECT_EQ(stored(R"({"name":"r","pattern":{"a":["x"]}})")->dialect, match::Dialect::eventbridge);
  EXPECT_FALSE(stored(R"({"name":"r","dialect":"eventbridge","pattern":{"a":[{"regex":"x"}]}})"));
  EXPECT_FALSE(stored(R"({"name":"r","pattern":{"a":[{"prefix":7}]}})"));
}

TEST(Rule, TakesNullForAFieldThatIsGone) {
  const auto old = parse(R"({"pattern": {"a": [1]}, "description": "d", "enabled": false, "bus": "b",
                             "targets": [{"id": "t", "type": "alert"}]})");
  ASSERT_TRUE(old);
  const auto bare = patched(*old, R"({"description": null, "enabled": null, "bus": null, "targets": null})");
  ASSERT_TRUE(bare) << bare.error().detail;
  EXPECT_EQ(*bare, *parse(R"({"pattern": {"a": [1]}})"));
  EXPECT_EQ(patched(*old, R"({"pattern": null})").error().field, "pattern");
}

TEST(Rule, ChangesOnlyWhatTheBodyNames) {
  const auto old = parse(R"({"pattern": {"a": [1]}, "description": "d", "targets": [{"id": "t", "type": "alert"}]})");
  const auto document = json::parse(R"({"enabled": false})");
  const auto changed = merge_rule(*old, document->root());
  ASSERT_TRUE(changed);
  Rule expected = *old;
  expected.enabled = false;
  EXPECT_EQ(*changed, expected);
}

}  // namespace
}  // namespace millrace::intake
