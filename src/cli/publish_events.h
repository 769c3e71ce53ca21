// Publishes events in arrays. An event without an id gets one here, so that an array that may or may not have
// arrived can be sent again: what is stored already is a duplicate then. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "json/value.h"

namespace millrace::cli {

// An array is sent with this many events, or sooner when its text has grown to kPublishBytes.
inline constexpr std::size_t kPublishEvents = 1000;
inline constexpr std::size_t kPublishBytes = 4 * 1024 * 1024;
// So many refusals are told; the others are counted.
inline constexpr std::size_t kToldRefusals = 100;

// Sends `call` until there is an answer other than "busy" (429, 503) or a minute of waiting has passed; the
// server's Retry-After is kept to. A lost connection is tried again too where the server has answered before.
// REQUIRES: sending it twice does no harm.
http::ClientResponse call_patiently(Api& api, const Call& call, Session& session, bool answered_before);

// The event as compact text, with an `eventId` where its form wants one and it has none.
std::string with_id(json::Value event, const std::string& new_id);
// A UUIDv7 of now.
std::string make_event_id();

struct LineRefusal {
  std::uint64_t line;
  std::string why;
};

struct Published {
  std::uint64_t accepted = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t refused = 0;
  std::vector<LineRefusal> refusals;  // the first kToldRefusals, by line
};

class Publisher {
 public:
  // `source` names the input in messages.
  Publisher(Api& api, std::string source, Session& session);

  void add(json::Value event, std::uint64_t line);
  // A line that is no event at all.
  void refuse(std::uint64_t line, std::string why);
  // Sends what is left. Throws Failure, as add() does, where the server refuses an array as a whole or is gone;
  // it names the lines and what was published before them.
  Published finish();

 private:
  void send();
  void take_answer(http::ClientResponse answer);
  void show_progress(std::string_view end);
  [[noreturn]] void stop(Exit exit, const std::string& why);

  Api& api_;
  std::string source_;
  Session& session_;
  std::string body_;                  // the array so far
  std::vector<std::uint64_t> lines_;  // of its elements
  bool answered_ = false;
  Published published_;
};

}  // namespace millrace::cli
