// `millrace queue claim`: takes ready items, if need be after waiting for one.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/limits.h"
#include "cli/answer.h"
#include "cli/printable.h"
#include "cli/queue.h"
#include "cli/queue_dry_run.h"
#include "cli/table.h"
#include "json/writer.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  bool dry_run = false;
  std::string tags;
  std::optional<std::string> worker;
  std::uint64_t limit = 1;
  std::string wait = "0";
};

std::int64_t seconds_to_wait(const std::string& text) {
  constexpr Millis kLongest = std::chrono::days(365);
  const std::optional<Millis> wait = parse_duration(text);
  if (!wait || *wait < Millis(0) || *wait > kLongest) {
    throw Failure(Exit::usage, fmt::format("--wait {} is no duration (as 20, 90s or 5m)", text));
  }
  return std::chrono::ceil<std::chrono::seconds>(*wait).count();
}

// A longer wait than the server grants is several in a row.
http::ClientResponse claim(const Options& options, const std::string& worker, Api& api) {
  std::int64_t left = seconds_to_wait(options.wait);
  for (;;) {
    const std::int64_t wait = std::min(left, limits::kClaimWaitSecondsMax);
    TargetText target("/events/subscribe");
    target.with("tags", options.tags).with("worker_id", worker).with("limit", options.limit);
    if (wait > 0) target.with("wait", static_cast<std::uint64_t>(wait));
    Call call{.target = target.text()};
    call.timeout += std::chrono::seconds(wait);
    http::ClientResponse answer = api.call(call);
    left -= wait;
    if (answer.status != 204 || left <= 0) return answer;
  }
}

void print(json::Value items, const std::string& worker, Session& session) {
  Table table({{.title = "ID", .align = Align::right},
               {.title = "TITLE", .flexible = true},
               {.title = "TAGS", .flexible = true},
               {.title = "ATTEMPT", .align = Align::right},
               {.title = "LEASE UNTIL"},
               {.title = "LEASE TOKEN"}});
  for (const json::Value item : items.elements()) {
    table.add({text_of(item, "id"), text_of(item, "title"), text_of(item, "tags"), text_of(item, "attempt"),
               text_of(item, "lease_until"), text_of(item, "lease_token")});
  }
  session.out << table.render(session.out_terminal);
  session.err << fmt::format("held by {}: settle with --worker {}\n", worker, worker);
}

Exit nothing_ready(const Options& options, Session& session) {
  if (options.json) session.out << "[]\n";
  session.err << fmt::format("nothing is ready for tags {}\n", options.tags);
  return Exit::refused;
}

// Which of the waiting items are due, and which of them would be first, only a claim can tell.
Exit foresee(const Options& options, Session& session) {
  seconds_to_wait(options.wait);
  TargetText target("/events");
  target.with("status", "PENDING").with("tags", options.tags).with("limit", std::uint64_t{1});
  const json::Document page = accepted(session.open(options.where)->call({.target = target.text()}));
  const auto waiting =
      static_cast<std::uint64_t>(std::max<std::int64_t>(number_of(page.root(), "total").value_or(0), 0));
  if (waiting == 0) return nothing_ready(options, session);
  const std::uint64_t most = std::min(options.limit, waiting);
  if (!options.json) {
    return say_nothing_changed(
        fmt::format("{} PENDING with tags {}; up to {} of them would be claimed, those that are due",
                    count_text(waiting), printable(options.tags), most),
        session);
  }
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.member("dry_run", true);
  out.member("action", "claim");
  out.member("pending", waiting);
  out.member("would_claim_max", most);
  out.end_object();
  return say_nothing_changed(text, session);
}

Exit run(const Options& options, Session& session) {
  if (options.dry_run) return foresee(options, session);
  const char* variable = session.environment("MILLRACE_WORKER");
  const std::string worker = options.worker ? *options.worker : variable != nullptr ? variable : own_worker_id();
  const std::unique_ptr<Api> api = session.open(options.where);
  http::ClientResponse answer = claim(options, worker, *api);
  if (answer.status == 204) return nothing_ready(options, session);
  const json::Document items = accepted(std::move(answer));
  if (options.json) {
    session.out << items.root().raw() << "\n";
  } else {
    print(items.root(), worker, session);
  }
  return Exit::ok;
}

}  // namespace

void add_queue_claim(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "claim", "Claim ready items; exits 1 if there are none",
                                  "  millrace queue claim --tags mail\n"
                                  "  millrace queue claim --tags mail,sms --limit 10 --wait 5m --worker me --json");
  Options& o = define(command, chosen, run);
  command.add_option("--tags", o.tags, "items with any of these tags")
      ->type_name("A,B")
      ->required()
      ->check(names_tags());
  command.add_option("--worker", o.worker, "who claims them (MILLRACE_WORKER, else host:pid)")->type_name("ID");
  command.add_option("--limit", o.limit, "at most so many (1)")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{limits::kClaimLimitMax}).description(""));
  command.add_option("--wait", o.wait, "how long to wait for an item (0)")->type_name("DURATION");
  add_dry_run_option(command, o.dry_run);
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

}  // namespace millrace::cli
