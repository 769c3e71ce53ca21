#include "http/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "http/content.h"
#include "http/metrics.h"
#include "http/problem.h"
#include "http/request_id.h"

namespace millrace::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void ask(Request& request, std::string_view target) { request.target = *parse_target(target); }

TEST(Query, GivesAParameterOnce) {
  Request request;
  ask(request, "/x?a=1&b=2&b=3");
  EXPECT_EQ(request.query("a").value(), "1");
  EXPECT_EQ(request.query("c").value(), std::nullopt);
  const auto twice = request.query("b");
  ASSERT_FALSE(twice.has_value());
  EXPECT_EQ(twice.error().code, Errc::bad_query);
  EXPECT_EQ(twice.error().field, "b");
}

TEST(Query, NumbersAreWholeAndInRange) {
  Request request;
  ask(request, "/x?a=5&b=-3&c=5.0&d=&e=99999999999999999999&f=+5&g=0x5&h=%205&i=1&i=1");
  EXPECT_EQ(request.query_int("a", 1, 5, 2), 5);
  EXPECT_EQ(request.query_int("b", -5, 5, 2), -3);
  EXPECT_EQ(request.query_int("none", 1, 5, 2), 2);
  EXPECT_FALSE(request.query_int("a", 1, 4, 2).has_value());
  for (const char* name : {"c", "d", "e", "f", "g", "h", "i"}) {
    const auto bad = request.query_int(name, 0, 100, 2);
    ASSERT_FALSE(bad.has_value()) << name;
    EXPECT_EQ(bad.error().code, Errc::bad_query);
    EXPECT_EQ(bad.error().field, name);
  }
}

TEST(Problem, SaysWhatIsWrongInTheStyleOfTheEndpoint) {
  const Error error{Errc::invalid, "must be \"short\"", "title"};
  const auto problem = error_response(error);
  EXPECT_EQ(problem.status, 422);
  EXPECT_EQ(problem.content_type, kProblemJson);
  EXPECT_EQ(problem.body,
            R"({"type":"urn:millrace:problem:invalid","title":"Unprocessable Content","status":422,)"
            R"("detail":"must be \"short\"","errors":[{"field":"title","message":"must be \"short\""}]})");
  const auto plain = error_response(error, ErrorStyle::plain_error);
  EXPECT_EQ(plain.content_type, kJson);
  EXPECT_EQ(plain.body, R"({"error":"must be \"short\"","field":"title"})");
  EXPECT_EQ(error_response({Errc::not_found, "no"}, ErrorStyle::plain_error).body, R"({"error":"no"})");
}

TEST(Problem, TellsWhenToComeBackAndHowToSignIn) {
  const auto text = [](Errc code) {
    std::string out;
    append_head(out, error_response({code, "x"}), {"c", "r"});
    return out;
  };
  EXPECT_THAT(text(Errc::overloaded), HasSubstr("429 Too Many Requests"));
  EXPECT_THAT(text(Errc::overloaded), HasSubstr("Retry-After: 1"));
  EXPECT_THAT(text(Errc::unavailable), HasSubstr("Retry-After: 1"));
  EXPECT_THAT(text(Errc::unauthenticated), HasSubstr("WWW-Authenticate: Bearer"));
  EXPECT_THAT(text(Errc::conflict), Not(HasSubstr("Retry-After")));
}

TEST(Response, HeaderValuesCannotEndTheirLine) {
  std::string out;
  append_head(out, {.status = 201, .headers = {{"Location", "/a\r\nEvil: yes"}}}, {"c", "r"});
  EXPECT_THAT(out, HasSubstr("Location: /a  Evil: yes\r\n"));
}

TEST(Response, NoContentHasNoLength) {
  std::string out;
  append_head(out, {.status = 204}, {"c", "r"});
  EXPECT_THAT(out, Not(HasSubstr("Content-")));
}

TEST(Content, JsonEndpointsWantJson) {
  const Endpoint endpoint{.body = BodyRule::json, .body_bytes_max = 100};
  const auto check = [&](std::string_view type) {
    Head head{.content_length = 5, .fields = {{"Content-Type", type}}};
    return check_content(head, endpoint).has_value();
  };
  EXPECT_TRUE(check("application/json"));
  EXPECT_TRUE(check("Application/JSON; charset=utf-8"));
  EXPECT_TRUE(check("application/cloudevents-batch+json"));
  EXPECT_FALSE(check("text/json"));
  EXPECT_FALSE(check("application/jsonx"));
  EXPECT_FALSE(check("+json"));
  EXPECT_FALSE(check(""));
  EXPECT_FALSE(check_content(Head{.content_length = 5}, endpoint).has_value());
  EXPECT_TRUE(check_content(Head{.content_length = 0}, endpoint).has_value());
}

TEST(Content, TooLargeSaysLimitAndSize) {
  const Endpoint endpoint{.body = BodyRule::any, .body_bytes_max = 100};
  const auto checked = check_content(Head{.content_length = 101}, endpoint);
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().code, Errc::too_large);
  EXPECT_THAT(checked.error().detail, HasSubstr("101"));
  EXPECT_THAT(checked.error().detail, HasSubstr("100"));
}

TEST(RequestId, IsAUuidV7AndNew) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(make_request_id());
  EXPECT_EQ(seen.size(), 1000u);
  EXPECT_EQ(seen.begin()->at(14), '7');
  EXPECT_EQ(seen.begin()->size(), 36u);
}

TEST(RequestId, TakesPrintableCorrelationIdsOnly) {
  EXPECT_TRUE(is_correlation_id("order 17/a"));
  EXPECT_TRUE(is_correlation_id(std::string(128, 'x')));
  EXPECT_FALSE(is_correlation_id(""));
  EXPECT_FALSE(is_correlation_id(std::string(129, 'x')));
  EXPECT_FALSE(is_correlation_id("a\tb"));
  EXPECT_FALSE(is_correlation_id("\xc3\xa4"));
}

TEST(Metrics, CountsByEndpointAndStatusClass) {
  Metrics metrics;
  const Endpoint endpoint{.path = "/a", .name = "thing"};
  Answered answered{.endpoint = &endpoint, .endpoint_index = 3, .status = 201, .bytes_in = 10, .bytes_out = 20};
  metrics.observe(answered);
  metrics.observe(answered);
  metrics.observe({.status = 404});
  double asked = 0;
  metrics.gauge("millrace_test_gauge", "A number", [&asked] { return ++asked; });
  const std::string text = metrics.text();
  EXPECT_THAT(text, HasSubstr(R"(millrace_http_request_seconds_count{endpoint="thing",status="2xx"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(millrace_http_request_seconds_count{endpoint="none",status="4xx"} 1)"));
  EXPECT_THAT(text, HasSubstr("millrace_http_received_bytes_total 20"));
  EXPECT_THAT(text, HasSubstr("millrace_test_gauge 1"));
}

TEST(Metrics, ATotalIsACounterThatFollowsItsSource) {
  Metrics metrics;
  double total = 3;
  metrics.counter("millrace_test_total", "Things that were done", [&total] { return total; });
  EXPECT_THAT(metrics.text(), HasSubstr("# TYPE millrace_test_total counter\nmillrace_test_total 3\n"));
  total = 5;
  EXPECT_THAT(metrics.text(), HasSubstr("\nmillrace_test_total 5\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("\nmillrace_test_total 5\n"));
}

}  // namespace
}  // namespace millrace::http
