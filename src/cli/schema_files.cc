#include "cli/schema_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <sstream>

#include "api/schema_push.h"
#include "cli/child_output.h"
#include "cli/failure.h"
#include "cli/printable.h"
#include "json/writer.h"
#include "registry/bounds.h"

namespace millrace::cli {
namespace {

namespace fs = std::filesystem;
using registry::SchemaFile;

// Half of what a server takes by default, for a text grows when it is quoted.
constexpr std::size_t kRequestBytes = 8 * 1024 * 1024;
constexpr const char* kSubfolder = "events";

Failure unreadable(const std::string& place, const std::string& why) {
  return Failure(Exit::usage, fmt::format("{} cannot be read: {}", place, why));
}

// A file that is longer than any schema is read far enough to be refused for its length.
std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw unreadable(path.string(), "no permission, or it is gone");
  std::string text(registry::kSchemaBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

void add_folder(const fs::path& folder, std::vector<SchemaFile>& files) {
  std::error_code error;
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (registry::is_schema_file(name) && at->is_regular_file()) files.push_back({name, read_text(at->path())});
  }
  if (error) throw unreadable(folder.string(), error.message());
}

void sort_by_name(std::vector<SchemaFile>& files) { std::ranges::sort(files, {}, &SchemaFile::name); }

std::string ask_git(const std::vector<std::string>& argv, const std::string& place) {
  ChildOutput output = run_child(argv);
  if (output.code == 0) return std::move(output.out);
  output.err.erase(output.err.find_last_not_of('\n') + 1);
  throw unreadable(place, output.err);
}

// "100644 blob 3b18e5…\ttime_entry.created.v1.json".
struct TreeEntry {
  std::string type;
  std::string object;
  std::string name;
};

std::vector<TreeEntry> list_tree(const std::string& tree, const std::string& place) {
  std::vector<TreeEntry> entries;
  std::istringstream lines(ask_git({"git", "ls-tree", "-z", tree}, place));
  for (std::string line; std::getline(lines, line, '\0');) {
    std::istringstream words(line.substr(0, line.find('\t')));
    TreeEntry entry{.type = {}, .object = {}, .name = line.substr(line.find('\t') + 1)};
    std::string mode;
    words >> mode >> entry.type >> entry.object;
    entries.push_back(std::move(entry));
  }
  return entries;
}

void add_tree(const std::string& tree, const std::string& place, std::vector<SchemaFile>& files) {
  for (const TreeEntry& entry : list_tree(tree, place)) {
    if (entry.type != "blob" || !registry::is_schema_file(entry.name)) continue;
    files.push_back({entry.name, ask_git({"git", "cat-file", "blob", entry.object}, place)});
  }
}

// Hidden ones are the tools' own.
bool is_left_out(const std::string& subfolder) { return subfolder != kSubfolder && !subfolder.starts_with('.'); }

void warn_of(std::vector<std::string> left_out, const std::string& place, std::ostream& err) {
  if (left_out.empty()) return;
  std::ranges::sort(left_out);
  err << printable(
             fmt::format("warning: in {} these folders are not read: {} (schemas are taken from the folder itself "
                         "and from {}/)",
                         place, fmt::join(left_out, ", "), kSubfolder))
      << "\n";
}

std::vector<SchemaFile> read_git_files(const std::string& place, std::ostream& err) {
  std::vector<SchemaFile> files;
  std::vector<std::string> left_out;
  add_tree(place, place, files);
  for (const TreeEntry& entry : list_tree(place, place)) {
    if (entry.type != "tree") continue;
    if (entry.name == kSubfolder) add_tree(entry.object, place, files);
    if (is_left_out(entry.name)) left_out.push_back(entry.name);
  }
  warn_of(std::move(left_out), place, err);
  sort_by_name(files);
  return files;
}

}  // namespace

std::vector<SchemaFile> read_schema_files(const std::string& folder) {
  std::vector<SchemaFile> files;
  add_folder(folder, files);
  const fs::path below = fs::path(folder) / kSubfolder;
  if (fs::symlink_status(below).type() == fs::file_type::directory) add_folder(below, files);
  sort_by_name(files);
  return files;
}

std::vector<SchemaFile> read_schema_files(const std::string& folder, std::ostream& err) {
  std::vector<SchemaFile> files = read_schema_files(folder);
  std::vector<std::string> left_out;
  std::error_code error;
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    std::error_code gone;
    const std::string name = at->path().filename().string();
    if (at->is_directory(gone) && is_left_out(name)) left_out.push_back(name);
  }
  warn_of(std::move(left_out), folder, err);
  return files;
}

std::vector<SchemaFile> read_schema_files_at(const std::string& place, std::ostream& err) {
  std::error_code ignored;
  const bool revision = place.find(':') != place.npos && !place.starts_with('-');
  if (revision && !fs::is_directory(place, ignored)) return read_git_files(place, err);
  return read_schema_files(place, err);
}

std::vector<std::span<const SchemaFile>> in_requests(std::span<const SchemaFile> files) {
  std::vector<std::span<const SchemaFile>> requests;
  std::size_t begin = 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::size_t size = files[i].text.size();
    if (i > begin && (i - begin == api::kSchemasPerPushMax || bytes + size > kRequestBytes)) {
      requests.push_back(files.subspan(begin, i - begin));
      begin = i;
      bytes = 0;
    }
    bytes += size;
  }
  if (begin < files.size()) requests.push_back(files.subspan(begin));
  return requests;
}

std::string push_body(std::span<const SchemaFile> files) {
  std::string text;
  json::Writer out(text);
  out.begin_array();
  for (const SchemaFile& file : files) {
    out.begin_object();
    out.member("file", file.name);
    out.member("text", file.text);
    out.end_object();
  }
  out.end_array();
  return text;
}

}  // namespace millrace::cli
