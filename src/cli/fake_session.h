// A session for tests: answers are prepared, calls and output are kept.
#pragma once

#include <deque>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/command.h"

namespace millrace::cli {

struct FakeSession {
  static constexpr int kLost = 0;  // as a status: no answer at all

  struct FakeApi final : Api {
    explicit FakeApi(FakeSession& s) : session(s) {}
    http::ClientResponse call(const Call& call) override { return session.answer(call); }
    // The body of an answer with status 200 comes in two pieces.
    http::ClientResponse follow(const Call& call, const http::ClientStream& stream) override {
      http::ClientResponse next = session.answer(call);
      if (next.status != 200) return next;
      const std::size_t middle = next.body.size() / 2;
      if (stream.take(next.body.substr(0, middle))) stream.take(next.body.substr(middle));
      return {.status = 200, .headers = {}, .body = {}};
    }
    FakeSession& session;
  };

  // What run() returns; the rest is in the members.
  int run(std::vector<std::string> args) {
    Session real{.in = in,
                 .out = out,
                 .err = err,
                 .out_terminal = out_terminal,
                 .err_terminal = err_terminal,
                 .environment = [this](const char* name) -> const char* {
                   const auto found = environment.find(name);
                   return found == environment.end() ? nullptr : found->second.c_str();
                 },
                 .connect = [this](const Place& where) -> std::unique_ptr<Api> {
                   places.push_back(where);
                   return std::make_unique<FakeApi>(*this);
                 },
                 .pause =
                     [this](Millis time) {
                       ++pauses;
                       paused += time;
                     }};
    return cli::run(args, real);
  }

  http::ClientResponse answer(const Call& call) {
    calls.push_back(call);
    if (unreachable) throw Failure(Exit::unreachable, "no answer");
    if (answers.empty()) return {.status = 200, .headers = {}, .body = "{}"};
    http::ClientResponse next = answers.front();
    answers.pop_front();
    if (next.status == kLost) throw Failure(Exit::unreachable, "the connection was lost");
    return next;
  }

  void will_lose_the_connection() { will_answer(kLost, ""); }
  void will_answer(int status, std::string body) {
    answers.push_back({.status = status, .headers = {}, .body = std::move(body)});
  }

  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Terminal out_terminal;
  Terminal err_terminal;
  std::map<std::string, std::string> environment;
  bool unreachable = false;
  std::deque<http::ClientResponse> answers;  // empty: {}
  std::vector<Place> places;
  std::vector<Call> calls;
  int pauses = 0;
  Millis paused{0};
};

}  // namespace millrace::cli
