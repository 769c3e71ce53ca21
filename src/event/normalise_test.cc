#include "event/normalise.h"

#include <gtest/gtest.h>

#include "event/defaults.h"
#include "event/testing.h"

namespace millrace::event {
namespace {

using testing::accept;
using testing::arrival;

Arrival as_operator() {
  Arrival from = arrival();
  from.reach = Reach::every_tenant;
  return from;
}

// S2.1
TEST(Tenant, IsTheCallersUnlessAnOperatorNamesAnother) {
  constexpr std::string_view kBody = R"({"type":"t","tenantId":"other"})";
  const auto refused = accept(kBody);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(),
            (Error{Errc::forbidden, "\"tenantId\" names a tenant that is not yours: \"other\"", "tenantId"}));
  EXPECT_EQ(accept(kBody, as_operator())->tenant.text(), "other");
  EXPECT_EQ(accept(R"({"type":"t"})", as_operator())->tenant.text(), "acme");
  EXPECT_EQ(accept(R"({"type":"t","clientId":"acme"})")->tenant.text(), "acme");
}

TEST(Tenant, ThatIsNoNameOfOneIsForeignToEveryoneAndInvalidToAnOperator) {
  constexpr std::string_view kBody = R"({"type":"t","tenantId":"Org_01"})";
  EXPECT_EQ(accept(kBody).error().code, Errc::forbidden);
  EXPECT_EQ(accept(kBody, as_operator()).error().code, Errc::invalid);
}

TEST(Tenant, IsOneForAllEventsOfARequest) {
  std::vector<NewEvent> events;
  for (const char* tenant : {"a", "a", "b"}) {
    events.push_back(*accept(std::string(R"({"type":"t","tenantId":")") + tenant + "\"}", as_operator()));
  }
  EXPECT_TRUE(check_one_tenant(std::span(events).first(2)));
  const auto mixed = check_one_tenant(events);
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().code, Errc::invalid);
  EXPECT_EQ(mixed.error().field, "[2]");
}

// S0.4
TEST(Entity, ComesFromTheAggregateThenTheSubjectThenTheEvent) {
  const auto entity = [](std::string_view fields) {
    const auto event = accept(R"({"type":"t","eventId":"e-1")" + std::string(fields) + "}");
    return event ? event->header.entity_type + "/" + event->header.entity_id : event.error().detail;
  };
  EXPECT_EQ(entity(R"(,"aggregateType":"order","aggregateId":"1","subject":"a:b")"), "ORDER/1");
  EXPECT_EQ(entity(R"(,"aggregateType":"order","subject":"a:b")"), "ORDER/b");
  EXPECT_EQ(entity(R"(,"aggregateType":"order")"), "ORDER/e-1");
  EXPECT_EQ(entity(R"(,"aggregateId":"1","subject":"a:b")"), "A/1");
  EXPECT_EQ(entity(R"(,"aggregateId":"1")"), "AGGREGATE/1");
  EXPECT_EQ(entity(R"(,"subject":"order:12:34")"), "ORDER/12:34");
  EXPECT_EQ(entity(R"(,"subject":"order:")"), "ORDER/e-1");
  EXPECT_EQ(entity(R"(,"subject":"picture.jpg")"), "SUBJECT/picture.jpg");
  EXPECT_EQ(entity(R"(,"subject":":x")"), "SUBJECT/:x");
  EXPECT_EQ(entity(""), "EVENT/e-1");
  EXPECT_EQ(entity(R"(,"entityType":"Store","entityId":"s","subject":"a:b")"), "Store/s");
  EXPECT_EQ(entity(R"(,"subject":")" + std::string(101, 'x') + ":1\""),
            "\"subject\" names an entity type of 101 bytes, the limit is 100");
}

TEST(App, IsNamedOrTheProducerOrTheSource) {
  const auto app = [](std::string_view fields) {
    return accept(R"({"type":"t")" + std::string(fields) + "}")->header.app;
  };
  EXPECT_EQ(app(R"(,"app":"a","producer":"p","source":"s")"), "a");
  EXPECT_EQ(app(R"(,"GSI2PK":"APP#g","producer":"p","source":"s")"), "g");
  EXPECT_EQ(app(R"(,"producer":"p","source":"s")"), "p");
  EXPECT_EQ(app(R"(,"source":"s")"), "s");
  EXPECT_EQ(app(""), kDefaultApp);
}

TEST(EventId, IsMadeOfTheTimeAndTheGivenRandomness) {
  const auto event = accept(R"({"type":"t"})");
  EXPECT_EQ(event->header.event_id, make_uuid_v7(to_ms(testing::kNow), testing::kRandom));
}

// S0.2
TEST(Keys, ThatTheSenderComputedAreComparedInEveryForm) {
  EXPECT_TRUE(accept(R"({"type":"t","GSI4PK":"EVENT#t","PK":"TENANT#acme"})"));
  const auto refused = accept(R"([{"type":"t","GSI4PK":"EVENT#u"}])");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(),
            (Error{Errc::invalid, "\"[0].GSI4PK\" contradicts the event: expected \"EVENT#t\", seen \"EVENT#u\"",
                   "[0].GSI4PK"}));
}

TEST(Keys, NameTheEventAndItsTimeWhereNothingElseDoes) {
  const auto event = accept(R"({"type":"t","SK":"TIMESTAMP#1700000000000#EVENT#a#b"})");
  ASSERT_TRUE(event) << event.error().detail;
  EXPECT_EQ(event->header.event_id, "a#b");
  EXPECT_EQ(event->header.time, time_from_ms(1'700'000'000'000));
  EXPECT_EQ(event->identity, Identity::event_id);
  EXPECT_EQ(accept(R"({"type":"t","SK":"TIMESTAMP#x#EVENT#a"})").error().field, "SK");
  EXPECT_EQ(accept(R"({"type":"t","SK":"TIMESTAMP#1#EVENT#a","eventId":"b"})").error().field, "SK");
}

// S2.11
TEST(MessageGroup, IsTheEntityUnlessTheSenderNamesOne) {
  EXPECT_EQ(group_of(accept(R"({"type":"t","messageGroup":"g","aggregateId":"7"})")->header), "g");
  EXPECT_EQ(group_of(accept(R"({"type":"t","aggregateId":"7"})")->header), "7");
}

}  // namespace
}  // namespace millrace::event
