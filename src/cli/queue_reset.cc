// `millrace queue reset`: a leased, failed or waiting item becomes due now.
#include <fmt/format.h>

#include <ostream>

#include "cli/answer.h"
#include "cli/queue.h"
#include "cli/queue_dry_run.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  bool dry_run = false;
  std::uint64_t id = 0;
  std::optional<std::string> reason;
};

Exit foresee(const Options& options, Api& api, Session& session) {
  const json::Document item = item_now(api, options.id);
  std::string status = text_of(item.root(), "status");
  if (status == "COMPLETED" || status == "CANCELLED") {
    throw Failure(Exit::refused, fmt::format("item {} is {} and can't be reset", options.id, status));
  }
  return say({.action = "reset",
              .id = options.id,
              .status = std::move(status),
              .would_be = "PENDING",
              .then = "PENDING, due now"},
             options.json, session);
}

Exit run(const Options& options, Session& session) {
  const std::unique_ptr<Api> api = session.open(options.where);
  if (options.dry_run) return foresee(options, *api, session);
  TargetText target = item_target(options.id, "reset");
  target.with_if("reason", options.reason);
  const json::Document entry = accepted(api->call({.method = http::Method::post, .target = target.text()}));
  if (options.json) {
    session.out << entry.root().raw() << "\n";
  } else {
    session.out << fmt::format("item {} is PENDING, due now\n", options.id);
  }
  return Exit::ok;
}

}  // namespace

void add_queue_reset(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "reset", "Put a leased, failed or waiting item back, due now",
                                  "  millrace queue reset 7 --reason 'the worker was replaced'\n"
                                  "  millrace queue reset 7 --dry-run");
  Options& o = define(command, chosen, run);
  add_item_id(command, o.id);
  command.add_option("--reason", o.reason, "why, for the item's log")->type_name("TEXT");
  add_dry_run_option(command, o.dry_run);
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

}  // namespace millrace::cli
