#include "cli/queue_dry_run.h"

#include <fmt/format.h>

#include <ostream>

#include "cli/answer.h"
#include "cli/printable.h"
#include "cli/queue.h"
#include "json/writer.h"

namespace millrace::cli {
namespace {

// The latest lease as the log tells it.
struct LatestLease {
  std::string worker;  // "": there was none
  std::string end;     // the action that ended it; "": it goes on
};

LatestLease latest_lease(json::Value item) {
  LatestLease lease;
  const std::optional<json::Value> log = item.find("logs");
  if (!log || !log->is(json::Kind::array)) return lease;
  for (const json::Value entry : log->elements()) {
    const std::string action = text_of(entry, "action");
    if (action == "PICKED") {
      lease = {.worker = text_of(entry, "worker_id"), .end = ""};
    } else if (action != "STARTED" && lease.end.empty()) {
      lease.end = action;
    }
  }
  return lease;
}

}  // namespace

void add_dry_run_option(CLI::App& command, bool& dry_run) {
  command.add_flag("--dry-run", dry_run, "only say what would be done");
}

Exit say(const Prospect& prospect, bool json, Session& session) {
  if (!json) {
    return say_nothing_changed(
        printable(fmt::format("item {} is {}, it would be {}", prospect.id, prospect.status, prospect.then)), session);
  }
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.member("dry_run", true);
  out.member("action", prospect.action);
  out.member("id", prospect.id);
  out.member("status", prospect.status);
  out.member("would_be", prospect.would_be);
  out.end_object();
  return say_nothing_changed(text, session);
}

Exit say_nothing_changed(std::string_view text, Session& session) {
  session.out << text << "\n";
  session.err << "nothing was changed: --dry-run\n";
  return Exit::ok;
}

json::Document item_now(Api& api, std::uint64_t id) {
  TargetText target = item_target(id);
  target.with("include_logs", "true");
  return accepted(api.call({.target = target.text()}));
}

bool is_repeat(json::Value item, const Holder& holder, const Session& session, std::string_view outcome) {
  const std::string worker = worker_of(holder, session);
  const std::string status = text_of(item, "status");
  const LatestLease lease = latest_lease(item);
  if (status == "PROCESSING") {
    if (lease.worker == worker) return false;
    throw Failure(Exit::refused, fmt::format("item {} is held by worker {}", holder.item, lease.worker));
  }
  if (lease.worker == worker && !outcome.empty() && lease.end == outcome) return true;
  throw Failure(Exit::refused, fmt::format("item {} is {}; worker {} does not hold it", holder.item, status, worker));
}

}  // namespace millrace::cli
