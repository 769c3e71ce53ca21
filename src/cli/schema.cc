#include "cli/schema.h"

#include <fmt/format.h>

#include <ostream>

#include "cli/printable.h"

namespace millrace::cli {

void add_schema(CLI::App& parent, Chosen& chosen) {
  CLI::App& schema = add_command(parent, "schema", "Check, document and register the schemas of events",
                                 "  millrace schema check --old main:schemas/events --new schemas/events\n"
                                 "  millrace schema docs --schemas schemas/events --out docs/events\n"
                                 "  millrace schema push schemas/events --dry-run");
  schema.require_subcommand(1);
  add_schema_check(schema, chosen);
  add_schema_docs(schema, chosen);
  add_schema_push(schema, chosen);
}

void print_problems(std::span<const registry::FileProblem> problems, Session& session) {
  for (const registry::FileProblem& problem : problems) {
    session.err << printable(fmt::format("{}: {}", problem.file, problem.message)) << "\n";
  }
}

}  // namespace millrace::cli
