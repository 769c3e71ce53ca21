// `millrace rules put`: a rule is saved, or tried on the events that are stored.
#include <ostream>

#include "cli/answer.h"
#include "cli/documents.h"
#include "cli/input.h"
#include "cli/rules.h"
#include "cli/trial.h"

namespace millrace::cli {
namespace {

Exit try_rule(const PutOptions& options, const std::string& body, Session& session) {
  TargetText target = document_target(kRule, options.name);
  target.with("dryRun", "true").with_if("from", options.from).with_if("to", options.to);
  const json::Document trial =
      accepted(session.open(options.where)->call({.method = http::Method::put, .target = target.text(), .body = body}));
  if (options.json) {
    session.out << trial.root().raw() << "\n";
    return Exit::ok;
  }
  print_trial(trial.root(), "matched", "match", session);
  session.err << "nothing was saved: --dry-run\n";
  return Exit::ok;
}

Exit run(const PutOptions& options, Session& session) {
  const std::string body = read_json_file(options.file, session.in);
  return options.dry_run ? try_rule(options, body, session) : put_document(kRule, options, body, session);
}

}  // namespace

void add_rules_put(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "put", "Save a rule, in place of the one of this name",
                                  "  millrace rules put large-orders --file large-orders.json\n"
                                  "  millrace rules put large-orders --file large-orders.json --if-match 3\n"
                                  "  millrace rules put large-orders --file - --dry-run --from 2026-01-01T00:00:00Z\n"
                                  "--dry-run shows which stored events it would have matched. Needs scope admin.");
  add_put_options(command, kRule, define(command, chosen, run));
}

}  // namespace millrace::cli
