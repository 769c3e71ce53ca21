// `millrace schema …` and `millrace lint events` (S2.3 to S2.6). Each function adds its command to `parent`.
#pragma once

#include <span>

#include "cli/command.h"
#include "registry/folder.h"

namespace millrace::cli {

void add_schema(CLI::App& parent, Chosen& chosen);
void add_lint(CLI::App& parent, Chosen& chosen);

void add_schema_check(CLI::App& parent, Chosen& chosen);
void add_schema_docs(CLI::App& parent, Chosen& chosen);
void add_schema_push(CLI::App& parent, Chosen& chosen);

// "FILE: what is wrong", a line each, on stderr.
void print_problems(std::span<const registry::FileProblem> problems, Session& session);

}  // namespace millrace::cli
