// `millrace schema docs`: one Markdown page a type (S2.6). Needs no server.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

#include "cli/schema.h"
#include "cli/schema_files.h"
#include "json/writer.h"
#include "registry/docs_page.h"

namespace millrace::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  bool json = false;
  std::string schemas;
  std::string out;
};

struct Pages {
  std::size_t written = 0;
  std::size_t unchanged = 0;
};

std::string present_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw Failure(Exit::refused, fmt::format("{} cannot be written: {}", path.string(), why));
}

// Whole or not at all: a reader sees the old page or the new one. The rename replaces a link, it does not follow it.
void replace_file(const fs::path& path, const std::string& text) {
  const fs::path draft = path.string() + fmt::format(".{}.tmp", ::getpid());
  std::ofstream file(draft, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  std::error_code error;
  if (!file) {
    fs::remove(draft, error);
    refuse(path, "no permission, or the disk is full");
  }
  fs::rename(draft, path, error);
  if (error) refuse(path, error.message());
}

// A type's code becomes a file name, so it must not lead anywhere else.
fs::path page_path(const std::string& folder, const std::string& code) {
  const std::string name = registry::docs_file_name(code);
  if (name.find('/') != name.npos || name.starts_with('.')) refuse(name, "the name leads out of the folder");
  return fs::path(folder) / name;
}

Pages write_pages(const std::vector<registry::EventType>& types, const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) refuse(folder, error.message());
  Pages pages;
  for (const registry::EventType& type : types) {
    const fs::path path = page_path(folder, type.code);
    const std::string text = registry::docs_page(type);
    const bool same = fs::is_regular_file(fs::symlink_status(path, error)) && present_text(path) == text;
    if (!same) replace_file(path, text);
    ++(same ? pages.unchanged : pages.written);
  }
  return pages;
}

Exit run(const Options& options, Session& session) {
  const registry::SchemaFolder folder = registry::read_schema_folder(read_schema_files(options.schemas, session.err));
  const Pages pages = write_pages(folder.types, options.out);
  print_problems(folder.problems, session);
  if (options.json) {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    out.member("written", pages.written);
    out.member("unchanged", pages.unchanged);
    out.member("invalid", folder.problems.size());
    out.end_object();
    session.out << text << "\n";
  } else {
    session.out << fmt::format("{} written, {} unchanged\n", pages.written, pages.unchanged);
  }
  return folder.problems.empty() ? Exit::ok : Exit::refused;
}

}  // namespace

void add_schema_docs(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "docs", "Write a page of documentation for each type",
                                  "  millrace schema docs --schemas schemas/events --out docs/events\n"
                                  "Schemas that are wrong are named, and it exits 1; the others are written.");
  Options& o = define(command, chosen, run);
  command.add_option("--schemas", o.schemas, "the folder of schemas, <type>.v<N>.json")->required()->type_name("DIR");
  command.add_option("--out", o.out, "where the pages go, <type>.md; made if it does not exist")
      ->required()
      ->type_name("DIR");
  add_json_option(command, o.json);
}

}  // namespace millrace::cli
