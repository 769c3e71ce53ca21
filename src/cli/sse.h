// Reads a stream of server-sent events (text/event-stream) from pieces cut anywhere. Pure; one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::cli {

struct SseEvent {
  std::string id;  // of the last `id` line so far, in this event or before it
  std::string data;
  std::string name = {};  // of its `event` line; "" without one

  bool operator==(const SseEvent&) const = default;
};

class SseReader {
 public:
  // An event that is longer is none of a Millrace server: its own limit for one is far below.
  static constexpr std::size_t kEventBytesMax = std::size_t{64} * 1024 * 1024;

  // The events that are complete with this piece. Throws std::length_error beyond kEventBytesMax.
  std::vector<SseEvent> feed(std::string_view piece);
  // What to come back with as Last-Event-ID; "" before the first.
  const std::string& last_id() const { return last_id_; }
  // A new connection begins with a new line; what was incomplete will come again.
  void restart();

 private:
  void take_line(std::string_view line, std::vector<SseEvent>& out);

  std::string line_;  // incomplete
  std::string data_;
  std::string name_;
  std::string id_;  // of the event under way; it counts once that is complete
  std::string last_id_;
  bool has_data_ = false;
};

}  // namespace millrace::cli
