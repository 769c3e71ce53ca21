// `millrace queue complete` and `fail`: the outcome of a claimed item.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/answer.h"
#include "cli/holder.h"
#include "cli/queue.h"
#include "cli/queue_dry_run.h"
#include "json/parse.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  bool dry_run = false;
  Holder holder;
  std::optional<std::int64_t> status_code;
  std::optional<std::int64_t> execution_time_ms;
  std::optional<std::string> error_message;
};

http::ClientResponse settle(const Options& options, Session& session, std::string_view action) {
  std::string body;
  json::Writer out(body);
  out.begin_object();
  write_holder(out, options.holder, session);
  out.member_if("status_code", options.status_code);
  out.member_if("execution_time_ms", options.execution_time_ms);
  out.member_if("error_message", options.error_message);
  out.end_object();
  return session.open(options.where)
      ->call({.method = http::Method::post,
              .target = item_target(options.holder.item, action).text(),
              .body = std::move(body)});
}

// What a failed try would come to; the pause before the next one is the server's to say.
void foresee_failure(json::Value item, Prospect& prospect) {
  const std::int64_t tries = number_of(item, "retry_count").value_or(0) + 1;
  const bool last = tries >= std::max<std::int64_t>(number_of(item, "max_retries").value_or(1), 1);
  prospect.would_be = last ? "FAILED" : "PENDING";
  prospect.then = last ? fmt::format("FAILED after {} tries", tries) : "PENDING, to be tried again";
}

Exit foresee(const Options& options, Session& session, std::string_view action, std::string_view outcome) {
  worker_of(options.holder, session);
  const json::Document item = item_now(*session.open(options.where), options.holder.item);
  Prospect prospect{.action = action,
                    .id = options.holder.item,
                    .status = text_of(item.root(), "status"),
                    .would_be = "COMPLETED",
                    .then = "COMPLETED"};
  if (is_repeat(item.root(), options.holder, session, outcome)) {
    prospect.would_be = prospect.status;
    prospect.then = "the same: this was reported before";
  } else if (outcome == "FAILED") {
    foresee_failure(item.root(), prospect);
  }
  return say(prospect, options.json, session);
}

Exit complete(const Options& options, Session& session) {
  if (options.dry_run) return foresee(options, session, "complete", "COMPLETED");
  const json::Document entry = accepted(settle(options, session, "complete"));
  if (options.json) {
    session.out << entry.root().raw() << "\n";
  } else {
    session.out << fmt::format("item {} is COMPLETED\n", options.holder.item);
  }
  return Exit::ok;
}

// The server answers the last failure with 400, though it recorded it (S4.6): a refusal has no retry_count.
bool was_last_try(const http::ClientResponse& answer) {
  if (answer.status != 400) return false;
  const auto document = json::parse(answer.body);
  return document && number_of(document->root(), "retry_count");
}

Exit fail(const Options& options, Session& session) {
  if (options.dry_run) return foresee(options, session, "fail", "FAILED");
  http::ClientResponse answer = settle(options, session, "fail");
  const bool last = was_last_try(answer);
  if (last) answer.status = 200;
  const json::Document entry = accepted(std::move(answer));
  if (options.json) {
    session.out << entry.root().raw() << "\n";
  } else if (last) {
    session.out << fmt::format("item {} is FAILED after {} tries\n", options.holder.item,
                               text_of(entry.root(), "retry_count"));
  } else {
    session.out << fmt::format("item {} is PENDING, to be tried again at {}\n", options.holder.item,
                               text_of(entry.root(), "next_retry_at"));
  }
  return Exit::ok;
}

void add_options(CLI::App& command, Options& options) {
  add_holder_options(command, options.holder);
  command.add_option("--status-code", options.status_code, "kept in the item's log")->type_name("N");
  command.add_option("--execution-time-ms", options.execution_time_ms, "kept in the item's log")->type_name("MS");
  add_dry_run_option(command, options.dry_run);
  add_json_option(command, options.json);
  add_server_options(command, options.where);
}

}  // namespace

void add_queue_complete(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "complete", "Report that a claimed item is done",
                                  "  millrace queue complete 7 --worker me\n"
                                  "  millrace queue complete 7 --worker me --execution-time-ms 1250 --status-code 200");
  add_options(command, define(command, chosen, complete));
}

void add_queue_fail(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "fail", "Report that the work on a claimed item failed",
                                  "  millrace queue fail 7 --worker me --error 'the mail server is away'");
  Options& options = define(command, chosen, fail);
  command.add_option("--error", options.error_message, "what went wrong, for the item's log")->type_name("TEXT");
  add_options(command, options);
}

}  // namespace millrace::cli
