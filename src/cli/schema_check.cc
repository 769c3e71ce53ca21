// `millrace schema check`: what changed between two states of a schema folder, and what of it breaks (S2.5).
// Needs no server.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/schema.h"
#include "cli/schema_files.h"
#include "cli/table.h"
#include "json/writer.h"

namespace millrace::cli {
namespace {

using registry::FileComparison;
using registry::FileProblem;

struct Options {
  bool json = false;
  std::string old_place;
  std::string new_place;
};

struct Findings {
  std::vector<FileComparison> files;
  std::vector<FileProblem> problems;  // of the new state

  std::size_t count(bool breaking_only) const {
    std::size_t count = 0;
    for (const FileComparison& file : files) {
      for (const registry::Change& change : file.comparison.changes) count += !breaking_only || change.breaking ? 1 : 0;
    }
    return count;
  }
  bool compatible() const { return problems.empty() && count(true) == 0; }
};

// A file that cannot be read now is a problem, not one that was removed. What could not be read before can only
// have become better.
Findings compare(const registry::SchemaFolder& before, const registry::SchemaFolder& after) {
  Findings findings{.files = registry::compare_folders(before, after), .problems = after.problems};
  std::erase_if(findings.files, [&](const FileComparison& file) {
    return std::ranges::find(after.problems, file.file, &FileProblem::file) != after.problems.end();
  });
  return findings;
}

void print_json(const Findings& findings, Session& session) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.member("compatible", findings.compatible());
  out.key("files");
  out.begin_array();
  for (const FileComparison& file : findings.files) {
    out.begin_object();
    out.member("file", file.file);
    out.key("comparison");
    registry::write(out, file.comparison);
    out.end_object();
  }
  out.end_array();
  out.key("problems");
  out.begin_array();
  for (const FileProblem& problem : findings.problems) {
    out.begin_object();
    out.member("file", problem.file);
    out.member("message", problem.message);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  session.out << text << "\n";
}

void print_table(const Findings& findings, Session& session) {
  Table table({{.title = "EFFECT"},
               {.title = "FILE", .flexible = true},
               {.title = "WHERE", .flexible = true},
               {.title = "CHANGE", .flexible = true}});
  for (const FileComparison& file : findings.files) {
    for (const registry::Change& change : file.comparison.changes) {
      table.add({change.breaking ? Cell("BREAKING", Colour::red) : Cell("ok", Colour::green), file.file, change.pointer,
                 change.message});
    }
  }
  for (const FileProblem& problem : findings.problems) {
    table.add({Cell("INVALID", Colour::red), problem.file, Cell(""), problem.message});
  }
  if (!table.empty()) session.out << table.render(session.out_terminal);
  const std::size_t changes = findings.count(false);
  session.err << fmt::format("{} {}, {} breaking\n", changes, changes == 1 ? "change" : "changes",
                             findings.count(true));
}

Exit run(const Options& options, Session& session) {
  const auto before = registry::read_schema_folder(read_schema_files_at(options.old_place, session.err));
  const auto after = registry::read_schema_folder(read_schema_files_at(options.new_place, session.err));
  const Findings findings = compare(before, after);
  options.json ? print_json(findings, session) : print_table(findings, session);
  return findings.compatible() ? Exit::ok : Exit::refused;
}

}  // namespace

void add_schema_check(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "check", "Say what changed between two folders of schemas, and what breaks",
                                  "  millrace schema check --old main:schemas/events --new schemas/events\n"
                                  "  millrace schema check --old v1.4.0:schemas/events --new schemas/events --json\n"
                                  "  millrace schema check --old before/ --new after/\n"
                                  "It exits 1 when something breaks.");
  Options& o = define(command, chosen, run);
  command.add_option("--old", o.old_place, "the folder as it was; REV:PATH takes it from git")
      ->required()
      ->type_name("DIR|REV:PATH");
  command.add_option("--new", o.new_place, "the folder as it is now")->required()->type_name("DIR|REV:PATH");
  add_json_option(command, o.json);
}

}  // namespace millrace::cli
