// S2.3
#include "registry/naming.h"

#include <gtest/gtest.h>

#include "registry/past_tense.h"

namespace millrace::registry {
namespace {

struct Bad {
  const char* name;
  NamingRule rule;
  const char* suggestion;
};

void expect_bad(const Bad& bad, Convention convention) {
  const auto found = check_name(bad.name, convention);
  ASSERT_TRUE(found) << bad.name;
  EXPECT_EQ(to_text(found->rule), to_text(bad.rule)) << bad.name << ": " << found->message;
  EXPECT_EQ(found->suggestion, bad.suggestion) << bad.name;
  EXPECT_FALSE(found->message.empty());
}

void expect_good(const char* name, Convention convention) {
  const auto found = check_name(name, convention);
  EXPECT_FALSE(found) << name << ": " << found->message;
}

TEST(Naming, FactsAboutEntitiesAreGood) {
  for (const char* name :
       {"time_entry.created", "time_entry.submitted", "time_entry.approved", "user.phone_number_changed",
        "workspace.member_invited", "subscription.activated", "subscription.canceled", "member.role_changed",
        "organization.billing_updated", "contact.upserted", "invoice.paid", "email.sent", "user.logged_in",
        "request.timed_out", "password.reset", "public.time_entry.created", "order_v2.shipped", "table.booked"}) {
    expect_good(name, Convention::dotted);
  }
}

TEST(Naming, AntiPatternsAreFoundWithASuggestion) {
  expect_bad({"time_entry.changed", NamingRule::ambiguous, "time_entry.{attribute}_changed"}, Convention::dotted);
  expect_bad({"update_time_entry", NamingRule::command, "time_entry.updated"}, Convention::dotted);
  expect_bad({"TIME_ENTRY_CREATED", NamingRule::form, "time_entry.created"}, Convention::dotted);
  expect_bad({"db.write", NamingRule::implementation_detail, "{entity}.created"}, Convention::dotted);
}

TEST(Naming, CommandsAreTurnedIntoFacts) {
  for (const Bad& bad : {
           Bad{"order.create", NamingRule::command, "order.created"},
           Bad{"email.send", NamingRule::command, "email.sent"},
           Bad{"invoice.pay", NamingRule::command, "invoice.paid"},
           Bad{"form.submit", NamingRule::command, "form.submitted"},
           Bad{"create.order", NamingRule::past_tense, "order.created"},
           Bad{"sendEmail", NamingRule::command, "email.sent"},
           Bad{"delete_user", NamingRule::command, "user.deleted"},
           Bad{"user.update_phone", NamingRule::command, "user.phone_updated"},
       }) {
    expect_bad(bad, Convention::dotted);
  }
}

TEST(Naming, OtherFormsOfTheVerbBecomeThePast) {
  for (const Bad& bad : {
           Bad{"order.creation", NamingRule::past_tense, "order.created"},
           Bad{"order.shipping", NamingRule::past_tense, "order.shipped"},
           Bad{"order.updates", NamingRule::past_tense, "order.updated"},
           Bad{"invoice.payment", NamingRule::past_tense, "invoice.paid"},
           Bad{"payment.failure", NamingRule::past_tense, "payment.failed"},
           Bad{"order.pending", NamingRule::past_tense, ""},
           Bad{"order.blorp", NamingRule::past_tense, ""},
       }) {
    expect_bad(bad, Convention::dotted);
  }
}

TEST(Naming, FormIsMended) {
  for (const Bad& bad : {
           Bad{"TimeEntry.Created", NamingRule::form, "time_entry.created"},
           Bad{"TimeEntryCreated", NamingRule::form, "time_entry.created"},
           Bad{"time-entry.created", NamingRule::form, "time_entry.created"},
           Bad{"USER_PHONE_NUMBER_CHANGED", NamingRule::form, "user.phone_number_changed"},
           Bad{"billing.invoice.paid", NamingRule::form, "billing_invoice.paid"},
           Bad{"ecommerce:orders:order:created", NamingRule::form, "ecommerce_orders_order.created"},
           Bad{"public.Order.Created", NamingRule::form, "public.order.created"},
           Bad{"order_.created", NamingRule::form, "order.created"},
           Bad{"", NamingRule::form, ""},
           Bad{"...", NamingRule::form, ""},
           Bad{"\xff\xfe", NamingRule::form, ""},
       }) {
    expect_bad(bad, Convention::dotted);
  }
}

TEST(Naming, StorageIsNoBusinessOfTheEvent) {
  expect_bad({"db.written", NamingRule::implementation_detail, "{entity}.created"}, Convention::dotted);
  expect_bad({"table.inserted", NamingRule::implementation_detail, "{entity}.created"}, Convention::dotted);
  expect_bad({"row.update", NamingRule::implementation_detail, "{entity}.updated"}, Convention::dotted);
}

// A suggestion is a name that would be taken.
TEST(Naming, SuggestsNothingThatItWouldRefuse) {
  expect_bad({"order.1created", NamingRule::form, ""}, Convention::dotted);
  expect_bad({"order.1Created", NamingRule::form, ""}, Convention::dotted);
  expect_bad({"public.1order.created", NamingRule::form, ""}, Convention::dotted);
  expect_bad({"1ORDER_CREATED", NamingRule::form, ""}, Convention::upper);
  expect_bad({"a:b:1c:created", NamingRule::form, ""}, Convention::colon);
}

TEST(Naming, UpperConvention) {
  for (const char* name : {"PRACTICE_CREATED", "PRACTICE_DETAILS_UPDATED", "PAYMENT_SUCCEEDED", "USER_PHONE_CHANGED"}) {
    expect_good(name, Convention::upper);
  }
  expect_bad({"CREATE_PRACTICE", NamingRule::command, "PRACTICE_CREATED"}, Convention::upper);
  expect_bad({"practice.created", NamingRule::form, "PRACTICE_CREATED"}, Convention::upper);
  expect_bad({"PRACTICE_UPDATE", NamingRule::command, "PRACTICE_UPDATED"}, Convention::upper);
  expect_bad({"CREATED", NamingRule::form, ""}, Convention::upper);
}

TEST(Naming, ColonConvention) {
  expect_good("ecommerce:orders:order:created", Convention::colon);
  expect_good("crm:customers:customer:registered", Convention::colon);
  expect_good("crm:customers:key-account:role-changed", Convention::colon);
  expect_bad({"crm:customers:customer:register", NamingRule::command, "crm:customers:customer:registered"},
             Convention::colon);
  expect_bad({"order.created", NamingRule::form, "{application}:{subdomain}:order:created"}, Convention::colon);
  expect_bad({"A:b:c:created", NamingRule::form, "a:b:c:created"}, Convention::colon);
  expect_bad({"Crm:keyAccounts:Customer:Register", NamingRule::form, "crm:key_accounts:customer:registered"},
             Convention::colon);
  expect_bad({"a::c:created", NamingRule::form, "{application}:{subdomain}:c:created"}, Convention::colon);
  expect_bad({"a:b:c:changed", NamingRule::ambiguous, "a:b:c:{attribute}_changed"}, Convention::colon);
}

TEST(Naming, TitlesOfTheWorkflowAreExempt) {
  for (const auto convention : {Convention::dotted, Convention::upper, Convention::colon}) {
    expect_good("Task Pending", convention);
    expect_good("Task Health Check", convention);
    expect_good("Job Failure Detected", convention);
    EXPECT_TRUE(check_name("Task Pondering", convention));
  }
}

TEST(Naming, WordsOfTheSettingsReadBack) {
  for (const auto mode : {NamingMode::off, NamingMode::warn, NamingMode::enforce}) {
    EXPECT_EQ(parse_naming_mode(to_text(mode)), mode);
  }
  for (const auto convention : {Convention::dotted, Convention::upper, Convention::colon}) {
    EXPECT_EQ(parse_convention(to_text(convention)), convention);
  }
  EXPECT_EQ(parse_naming_mode("on"), std::nullopt);
  EXPECT_EQ(parse_convention("camel"), std::nullopt);
}

TEST(PastTense, FollowsTheRulesOfSpelling) {
  const std::pair<const char*, const char*> cases[] = {
      {"create", "created"},     {"add", "added"},     {"copy", "copied"},      {"deploy", "deployed"},
      {"ship", "shipped"},       {"stop", "stopped"},  {"submit", "submitted"}, {"transfer", "transferred"},
      {"cancel", "canceled"},    {"open", "opened"},   {"visit", "visited"},    {"fix", "fixed"},
      {"view", "viewed"},        {"wait", "waited"},   {"start", "started"},    {"log", "logged"},
      {"send", "sent"},          {"write", "written"}, {"make", "made"},        {"reset", "reset"},
      {"withdraw", "withdrawn"}, {"deny", "denied"},   {"sync", "synced"},      {"free", "freed"},
  };
  for (const auto& [verb, past] : cases) {
    EXPECT_EQ(past_of(verb), past);
    EXPECT_TRUE(is_past(past)) << past;
  }
}

TEST(PastTense, IsNotFooledByEndings) {
  for (const char* word : {"feed", "need", "speed", "exceed", "proceed", "succeed", "embed", "hundred", "red", "bed",
                           "ed", "pending", "create", "status", ""}) {
    EXPECT_FALSE(is_past(word)) << word;
  }
  for (const char* word : {"agreed", "freed", "led", "fed", "sped", "began", "chose", "wrote", "used", "tied"}) {
    EXPECT_TRUE(is_past(word)) << word;
  }
}

}  // namespace
}  // namespace millrace::registry
