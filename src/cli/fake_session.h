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
  struct FakeApi final : Api {
    explicit FakeApi(FakeSession& s) : session(s) {}
    http::ClientResponse call(const Call& call) override { return session.answer(call); }
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
                 .pause = [this](Millis) { ++pauses; }};
    return cli::run(args, real);
  }

  http::ClientResponse answer(const Call& call) {
    calls.push_back(call);
    if (unreachable) throw Failure(Exit::unreachable, "no answer");
    if (answers.empty()) return {.status = 200, .headers = {}, .body = "{}"};
    http::ClientResponse next = answers.front();
    answers.pop_front();
    return next;
  }

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
};

}  // namespace millrace::cli
