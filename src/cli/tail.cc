// `millrace tail`: the log as it grows, over server-sent events. A lost connection is taken up again after the
// last event seen, so that nothing is missed and nothing shown twice.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/answer.h"
#include "cli/event_table.h"
#include "cli/events.h"
#include "cli/printable.h"
#include "cli/sse.h"
#include "cli/stop_signals.h"
#include "cli/target_text.h"
#include "json/parse.h"

namespace millrace::cli {
namespace {

// A server says something at least every 15 seconds; a connection that missed this twice is dead.
constexpr Millis kSilenceMax = std::chrono::seconds(40);
constexpr Millis kFirstPause = std::chrono::milliseconds(250);
constexpr Millis kLongestPause = std::chrono::seconds(10);

struct Options {
  Where where;
  bool json = false;
  std::string from = "latest";
  std::optional<std::string> type;
  std::optional<std::uint64_t> count;
  bool resolve = false;
};

class Tail {
 public:
  Tail(const Options& options, Session& session, Api& api) : options_(options), session_(session), api_(api) {}

  Exit run() {
    for (;;) {
      const std::string why = follow();
      if (over()) return Exit::ok;
      tell_lost(why);
      session_.pause(pause_);
      if (over()) return Exit::ok;
      pause_ = std::min(pause_ * 2, kLongestPause);
    }
  }

 private:
  bool over() const { return enough() || stop_.raised() || !session_.out; }
  bool enough() const { return options_.count && shown_ >= *options_.count; }

  Call request() const {
    TargetText target("/api/events/tail");
    target.with("from", options_.from == "beginning" ? "1" : options_.from).with_if("type", options_.type);
    if (options_.resolve) target.with("resolve", "true");
    Call call{.target = target.text(), .headers = {{"Accept", "text/event-stream"}}};
    if (!reader_.last_id().empty()) call.headers.emplace_back("Last-Event-ID", reader_.last_id());
    return call;
  }

  // One connection to its end; returns why it ended. The first one must succeed: a wrong address or key is told at
  // once, not tried for ever.
  std::string follow() {
    reader_.restart();
    const http::ClientStream stream{.take = [this](std::string_view piece) { return take(piece); },
                                    .silence_max = kSilenceMax,
                                    .interrupt_fd = stop_.fd()};
    try {
      refused_.reset();
      http::ClientResponse answer = api_.follow(request(), stream);
      if (refused_) answer = *std::move(refused_);
      if (answer.status < 400) return "the server ended the stream";
      const bool passing = answer.status == 429 || answer.status >= 500;
      if (!connected_ || !passing) throw Failure(Exit::refused, refusal(answer));
      return refusal(answer);
    } catch (const Failure& failure) {
      if (!connected_ || failure.exit() != Exit::unreachable) throw;
      return failure.what();
    }
  }

  bool take(std::string_view piece) {
    connected_ = true;
    told_ = false;
    pause_ = kFirstPause;
    for (const SseEvent& event : reader_.feed(piece)) {
      if (event.name == "error") {
        note_refusal(event.data);
        return false;
      }
      show(event.data);
      if (over()) return false;
    }
    return true;
  }

  // The stream ends with a problem: as if the server had answered with it.
  void note_refusal(const std::string& problem) {
    constexpr int kUnavailable = 503;
    const auto document = json::parse(problem);
    const auto status = document ? number_of(document->root(), "status") : std::nullopt;
    refused_.emplace();
    refused_->status = static_cast<int>(status.value_or(kUnavailable));
    refused_->body = problem;
  }

  void show(const std::string& data) {
    ++shown_;
    if (options_.json) {
      session_.out << data << "\n" << std::flush;
      return;
    }
    const auto event = json::parse(data);
    if (!event) throw Failure(Exit::refused, "the stream is no JSON (does --server name a Millrace server?)");
    add_event_row(table_, event->root(), session_.out_terminal);
    session_.out << table_.render(session_.out_terminal) << std::flush;
  }

  // Once an outage, not once a try.
  void tell_lost(const std::string& why) {
    if (std::exchange(told_, true)) return;
    const bool gap = reader_.last_id().empty() && options_.from == "latest";
    session_.err << fmt::format("connection lost: {}; trying again{}\n", printable(why),
                                gap ? ", events until then are not shown" : "")
                 << std::flush;
  }

  const Options& options_;
  Session& session_;
  Api& api_;
  StopSignals stop_;
  SseReader reader_;
  Table table_ = event_table();
  std::optional<http::ClientResponse> refused_;  // by the last event of the stream
  std::uint64_t shown_ = 0;
  bool connected_ = false;  // at any time
  bool told_ = false;       // that the connection is lost
  Millis pause_ = kFirstPause;
};

std::string check_from(const std::string& text) {
  const bool number = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  if (number || text == "latest" || text == "beginning") return "";
  return fmt::format("\"{}\" is neither a position nor latest or beginning", text);
}

std::string check_count(const std::string& text) {
  const bool number = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  return number && text.find_first_not_of('0') != text.npos ? "" : fmt::format("\"{}\" is no number from 1 on", text);
}

Exit run(const Options& options, Session& session) {
  const std::unique_ptr<Api> api = session.open(options.where);
  return Tail(options, session, *api).run();
}

}  // namespace

void add_tail(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "tail", "Follow the event log",
                                  "  millrace tail\n"
                                  "  millrace tail --from beginning --type order.created,order.cancelled\n"
                                  "  millrace tail --from 1200 --json | jq .data\n"
                                  "  millrace tail --count 1        until the next event");
  Options& o = define(command, chosen, run);
  command.add_option("--from", o.from, "a position, beginning, or latest: only what comes (latest)")
      ->type_name("POSITION")
      ->check(CLI::Validator(check_from, ""));
  command.add_option("--type", o.type, "events of these types only")->type_name("A,B")->check(not_empty());
  command.add_option("--count", o.count, "end after so many events")
      ->type_name("N")
      ->check(CLI::Validator(check_count, ""));
  command.add_flag("--resolve", o.resolve, "with the fields that are kept in the blob store");
  command.add_flag("--json", o.json, "print one JSON document a line, for scripts");
  add_server_options(command, o.where);
}

}  // namespace millrace::cli
