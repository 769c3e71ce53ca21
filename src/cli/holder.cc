#include "cli/holder.h"

#include "cli/queue.h"

namespace millrace::cli {

void add_holder_options(CLI::App& command, Holder& holder) {
  add_item_id(command, holder.item);
  command.add_option("--worker", holder.worker, "who claimed it (MILLRACE_WORKER)")->type_name("ID");
  command.add_option("--attempt", holder.attempt, "the claim's attempt; without it, the worker's latest")
      ->type_name("N");
  command.add_option("--lease-token", holder.lease_token, "the claim's lease_token")->type_name("TOKEN");
}

std::string worker_of(const Holder& holder, const Session& session) {
  if (holder.worker) return *holder.worker;
  if (const char* variable = session.environment("MILLRACE_WORKER")) return variable;
  throw Failure(Exit::usage, "--worker is required (the id that the item was claimed with, or MILLRACE_WORKER)");
}

void write_holder(json::Writer& out, const Holder& holder, const Session& session) {
  out.member("worker_id", worker_of(holder, session));
  out.member_if("attempt", holder.attempt);
  out.member_if("lease_token", holder.lease_token);
}

}  // namespace millrace::cli
