// Policies that are compiled from others: what did not change is taken over (S2.4, S2.8).
#include "intake/policies.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "event/body.h"
#include "event/normalise.h"

namespace millrace::intake {
namespace {

using testing::ElementsAre;

// Documents as a catalog has them: by name.
class Documents {
 public:
  void put_rule(const std::string& name, std::string_view pattern, std::string_view more = "") {
    rules_[name] = fmt::format(R"({{"name":"{}","pattern":{}{}}})", name, pattern, more);
  }
  void drop_rule(const std::string& name) { rules_.erase(name); }
  void put_type(const std::string& code, std::string_view schema) {
    types_[code] = fmt::format(R"({{"code":"{}","specVersions":[{{"version":"1.0","status":"CURRENT","schema":{}}}]}})",
                               code, schema);
  }
  void drop_type(const std::string& code) { types_.erase(code); }

  std::shared_ptr<const Policies> compile(const Policies* before = nullptr) const {
    Sources sources;
    for (const auto& [name, body] : rules_) sources.rules.push_back({name, body});
    for (const auto& [name, body] : types_) sources.event_types.push_back({name, body});
    return Policies::compile(sources, before);
  }

 private:
  std::map<std::string, std::string> rules_;
  std::map<std::string, std::string> types_;
};

event::NewEvent normalised(event::Drafts& drafts) {
  const event::Arrival arrival{
      .tenant = TenantId::default_tenant(), .reach = event::Reach::own_tenant, .now = time_from_ms(1'700'000'000'000)};
  return *event::normalise(*std::move(drafts.events.front()), arrival, {});
}

// An event and what it has views of.
struct Published {
  explicit Published(std::string text)
      : body(std::move(text)), drafts(*event::read_body("application/json", {}, body)), event(normalised(drafts)) {}

  std::string body;
  event::Drafts drafts;
  event::NewEvent event;
};

std::vector<std::string> matched(const Policies& policies, std::string_view source, std::string_view bus = "default") {
  const Published published(fmt::format(R"({{"type":"order.created","source":"{}"}})", source));
  std::vector<std::string> names;
  for (const std::string_view name : policies.matches(event::View(published.event, policies.key_fields()), bus))
    names.emplace_back(name);
  return names;
}

TEST(Policies, NameTheMatchingRulesInTheirOrderWhateverTheOrderOfTheChanges) {
  Documents documents;
  documents.put_rule("m", R"({"source":["shop"]})");
  auto policies = documents.compile();
  documents.put_rule("z", R"({"source":["shop"]})");
  policies = documents.compile(policies.get());
  documents.put_rule("a", R"({"source":["shop"]})");
  policies = documents.compile(policies.get());
  EXPECT_THAT(matched(*policies, "shop"), ElementsAre("a", "m", "z"));
  EXPECT_THAT(matched(*policies, "other"), ElementsAre());
}

TEST(Policies, FollowEveryChangeOfARule) {
  Documents documents;
  documents.put_rule("a", R"({"source":["shop"]})");
  documents.put_rule("b", R"({"source":["shop"]})");
  auto policies = documents.compile();
  documents.put_rule("a", R"({"source":["mill"]})");
  policies = documents.compile(policies.get());
  EXPECT_THAT(matched(*policies, "shop"), ElementsAre("b"));
  EXPECT_THAT(matched(*policies, "mill"), ElementsAre("a"));
  documents.put_rule("a", R"({"source":["mill"]})", R"(,"enabled":false)");
  policies = documents.compile(policies.get());
  EXPECT_THAT(matched(*policies, "mill"), ElementsAre());
  EXPECT_FALSE(policies->find_rule("a")->enabled);
  documents.put_rule("a", R"({"source":["mill"]})", R"(,"bus":"side")");
  policies = documents.compile(policies.get());
  EXPECT_THAT(matched(*policies, "mill"), ElementsAre());
  EXPECT_THAT(matched(*policies, "mill", "side"), ElementsAre("a"));
  documents.drop_rule("a");
  policies = documents.compile(policies.get());
  EXPECT_EQ(policies->find_rule("a"), nullptr);
  EXPECT_THAT(matched(*policies, "mill", "side"), ElementsAre());
  EXPECT_THAT(matched(*policies, "shop"), ElementsAre("b"));
}

// The keys are shown to the rules only while one of them asks for them.
TEST(Policies, MatchByTheKeysToo) {  // S2.8
  Documents documents;
  documents.put_rule("a", R"({"source":["shop"]})");
  auto policies = documents.compile();
  EXPECT_EQ(policies->key_fields(), event::KeyFields::left_out);
  documents.put_rule("k", R"({"$or":[{"GSI2PK":["APP#shop"]},{"SK":["none"]}]})");
  policies = documents.compile(policies.get());
  EXPECT_EQ(policies->key_fields(), event::KeyFields::included);
  EXPECT_THAT(matched(*policies, "shop"), ElementsAre("a", "k"));
  EXPECT_THAT(matched(*policies, "mill"), ElementsAre());
  documents.put_rule("k", R"({"GSI2PK":["APP#shop"]})", R"(,"enabled":false)");
  policies = documents.compile(policies.get());
  EXPECT_EQ(policies->key_fields(), event::KeyFields::left_out);
}

// Deleted and made again under its name is another rule.
TEST(Policies, ForgetARuleThatIsMadeAgain) {
  Documents documents;
  documents.put_rule("a", R"({"source":["shop"]})");
  auto policies = documents.compile();
  documents.drop_rule("a");
  policies = documents.compile(policies.get());
  documents.put_rule("a", R"({"source":["mill"]})");
  policies = documents.compile(policies.get());
  EXPECT_THAT(matched(*policies, "shop"), ElementsAre());
  EXPECT_THAT(matched(*policies, "mill"), ElementsAre("a"));
}

TEST(Policies, TakeOverWhatDidNotChange) {
  Documents documents;
  for (int i = 0; i < 50; ++i) {
    documents.put_rule(fmt::format("r{:02}", i), R"({"source":["shop"]})");
    documents.put_type(fmt::format("order.done{:02}", i), "{}");
  }
  const auto before = documents.compile();
  documents.put_rule("r07", R"({"source":["mill"]})");
  const auto after = documents.compile(before.get());
  for (const auto& rule : before->rules()) {
    const bool same = after->find_rule(rule->name) == rule.get();
    EXPECT_EQ(same, rule->name != "r07") << rule->name;
  }
  EXPECT_EQ(matched(*after, "shop").size(), 49u);
}

TEST(Policies, FollowEveryChangeOfAType) {
  const auto refused = [](const Policies& policies) {
    const Published published(R"({"type":"order.created","source":"s","data":{"id":"x"}})");
    return policies.check(published.event).has_value();
  };
  Documents documents;
  documents.put_type("order.created", R"({"required":["id"]})");
  documents.put_type("order.shipped", "{}");
  auto policies = documents.compile();
  EXPECT_FALSE(refused(*policies));
  documents.put_type("order.created", R"({"required":["amount"]})");
  policies = documents.compile(policies.get());
  EXPECT_TRUE(refused(*policies));
  documents.drop_type("order.created");
  policies = documents.compile(policies.get());
  EXPECT_FALSE(refused(*policies));
}

// Against policies that are compiled at once, over many changes: as many as make a rule set build itself anew.
TEST(Policies, AreThoseOfAWholeCompilation) {
  Documents documents;
  std::shared_ptr<const Policies> step = documents.compile();
  for (int i = 0; i < 1400; ++i) {
    const std::string name = fmt::format("r{}", i * 7 % 1100);
    if (i % 5 == 4) {
      documents.drop_rule(name);
    } else {
      documents.put_rule(name, fmt::format(R"({{"source":["s{}"]}})", i % 3));
    }
    step = documents.compile(step.get());
    if (i % 100 != 99) continue;
    const auto whole = documents.compile();
    for (const char* source : {"s0", "s1", "s2"}) EXPECT_EQ(matched(*step, source), matched(*whole, source)) << i;
  }
}

// An event names its version as the registry writes it: "01.0" would be a version that nobody can register.
TEST(Policies, EventsNameVersionsThatCanBeRegistered) {  // S2.4
  for (const char* text : {"1.0", "12.34", "999999.999999", "01.0", "1.00", "1.", ".1", "0.1", "1000000.0", "1.0x"}) {
    const std::string body = fmt::format(R"({{"type":"order.created","schemaVersion":"{}"}})", text);
    const auto drafts = event::read_body("application/json", {}, body);
    EXPECT_EQ(drafts->events.front().has_value(), registry::parse_schema_version(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace millrace::intake
