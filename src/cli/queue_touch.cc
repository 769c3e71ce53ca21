// `millrace queue start` and `heartbeat`: the holder is at work, its lease goes on.
#include <fmt/format.h>

#include <ostream>

#include "cli/answer.h"
#include "cli/holder.h"
#include "cli/queue.h"
#include "cli/queue_dry_run.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  bool dry_run = false;
  Holder holder;
};

Exit foresee(const Options& options, Session& session, std::string_view action) {
  worker_of(options.holder, session);
  const json::Document item = item_now(*session.open(options.where), options.holder.item);
  is_repeat(item.root(), options.holder, session, "");
  return say({.action = action,
              .id = options.holder.item,
              .status = text_of(item.root(), "status"),
              .would_be = "PROCESSING",
              .then = "leased for longer"},
             options.json, session);
}

Exit touch(const Options& options, Session& session, std::string_view action) {
  if (options.dry_run) return foresee(options, session, action);
  std::string body;
  json::Writer out(body);
  out.begin_object();
  write_holder(out, options.holder, session);
  out.end_object();
  const std::unique_ptr<Api> api = session.open(options.where);
  const json::Document entry = accepted(api->call({.method = http::Method::post,
                                                   .target = item_target(options.holder.item, action).text(),
                                                   .body = std::move(body)}));
  if (options.json) {
    session.out << entry.root().raw() << "\n";
  } else {
    session.out << fmt::format("item {}: {}, leased until {}\n", options.holder.item, text_of(entry.root(), "action"),
                               text_of(entry.root(), "lease_until"));
  }
  return Exit::ok;
}

Exit start(const Options& options, Session& session) { return touch(options, session, "start"); }
Exit heartbeat(const Options& options, Session& session) { return touch(options, session, "heartbeat"); }

void add_options(CLI::App& command, Options& options) {
  add_holder_options(command, options.holder);
  add_dry_run_option(command, options.dry_run);
  add_json_option(command, options.json);
  add_server_options(command, options.where);
}

}  // namespace

void add_queue_start(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "start", "Record that the work on a claimed item begins; extends its lease",
                                  "  millrace queue start 7 --worker me");
  add_options(command, define(command, chosen, start));
}

void add_queue_heartbeat(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "heartbeat", "Extend the lease of a claimed item",
                                  "  millrace queue heartbeat 7 --worker me");
  add_options(command, define(command, chosen, heartbeat));
}

}  // namespace millrace::cli
