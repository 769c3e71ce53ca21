#include "http/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/target.h"

namespace millrace::http {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

Router sample() {
  std::vector<Endpoint> table;
  const auto add = [&table](Method method, const char* path, const char* name) -> Endpoint& {
    return table.emplace_back(Endpoint{.method = method, .path = path, .name = name});
  };
  add(Method::get, "/", "root");
  add(Method::post, "/events", "create").style = ErrorStyle::plain_error;
  add(Method::get, "/events/subscribe", "subscribe").no_head = true;
  add(Method::get, "/events/{id}", "get").style = ErrorStyle::plain_error;
  add(Method::delete_, "/events/{id}", "delete").style = ErrorStyle::plain_error;
  add(Method::post, "/events/{id}/complete", "complete").style = ErrorStyle::plain_error;
  add(Method::get, "/events/{id}/notes/{note}", "note");
  add(Method::get, "/ui/", "ui");
  add(Method::get, "/ui/{path...}", "asset");
  return Router(std::move(table));
}

Route find(const Router& router, Method method, std::string_view path) {
  return router.find(method, parse_target(path)->segments);
}

std::string name(const Router& router, Method method, std::string_view path) {
  const auto route = find(router, method, path);
  return route.endpoint != nullptr ? route.endpoint->name : "";
}

TEST(Router, StaticSegmentsWinOverParameters) {
  const Router router = sample();
  EXPECT_EQ(name(router, Method::get, "/events/subscribe"), "subscribe");
  EXPECT_EQ(name(router, Method::get, "/events/17"), "get");
  EXPECT_EQ(name(router, Method::post, "/events/17/complete"), "complete");
  // The static branch has nothing below; the parameter has.
  EXPECT_EQ(name(router, Method::post, "/events/subscribe/complete"), "complete");
  EXPECT_EQ(name(router, Method::get, "/"), "root");
}

TEST(Router, UnknownPathsAreNotFound) {
  const Router router = sample();
  for (const char* path : {"/nothing", "/events/", "/events/1/", "/events//complete", "/events/1/other", "/ui", "//"}) {
    const auto route = find(router, Method::get, path);
    EXPECT_EQ(route.endpoint, nullptr) << path;
    EXPECT_EQ(route.allow, "") << path;
  }
}

TEST(Router, KnownPathsSayWhatTheyTake) {
  const Router router = sample();
  EXPECT_EQ(find(router, Method::put, "/events/1").allow, "GET, HEAD, DELETE");
  EXPECT_EQ(find(router, Method::other, "/events").allow, "POST");
}

TEST(Router, HeadIsAnsweredAsGetUnlessItWouldHaveEffects) {
  const Router router = sample();
  EXPECT_EQ(name(router, Method::head, "/events/1"), "get");
  EXPECT_EQ(find(router, Method::head, "/events/subscribe").allow, "GET");
}

TEST(Router, RefusalsSpeakTheStyleOfTheirNeighbours) {
  const Router router = sample();
  EXPECT_EQ(find(router, Method::get, "/events/1/other").style, ErrorStyle::plain_error);
  EXPECT_EQ(find(router, Method::put, "/events").style, ErrorStyle::plain_error);
  EXPECT_EQ(find(router, Method::get, "/nothing").style, ErrorStyle::problem);
}

TEST(Router, GivesParametersDecoded) {
  const Router router = sample();
  auto segments = parse_target("/events/a%2Fb/notes/%C3%A4")->segments;
  const auto note = router.find(Method::get, segments);
  EXPECT_THAT(router.params(*note.endpoint, segments), ElementsAre(Pair("id", "a/b"), Pair("note", "\xc3\xa4")));
  segments = parse_target("/ui/assets/app.js")->segments;
  const auto asset = router.find(Method::get, segments);
  ASSERT_NE(asset.endpoint, nullptr);
  EXPECT_THAT(router.params(*asset.endpoint, segments), ElementsAre(Pair("path", "assets/app.js")));
  EXPECT_EQ(name(router, Method::get, "/ui/"), "ui");
}

TEST(Router, ListsItsTableInOrder) {
  const Router router = sample();
  EXPECT_EQ(router.endpoints().size(), 9u);
  EXPECT_EQ(router.index_of(*find(router, Method::post, "/events").endpoint), 1u);
}

TEST(RouterDeathTest, TwoEndpointsForOneRequestAreABug) {
  EXPECT_DEATH(Router({Endpoint{.path = "/a/{x}", .name = "one"}, Endpoint{.path = "/a/{y}", .name = "two"}}),
               "one endpoint for a method and a path");
}

}  // namespace
}  // namespace millrace::http
