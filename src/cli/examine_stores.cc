#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/examine.h"
#include "store/postgres/connection.h"
#include "store/postgres/postgres_store.h"
#include "store/postgres/server_settings.h"
#include "store/rocksdb/data_folder.h"
#include "store/rocksdb/rocksdb_store.h"

namespace millrace::cli {
namespace {

namespace fs = std::filesystem;

// The folder itself, or the nearest above it that exists: where it would be made.
fs::path existing_part(const fs::path& path) {
  std::error_code ignored;
  fs::path part = fs::absolute(path, ignored);
  while (!fs::exists(part, ignored) && part.has_relative_path()) part = part.parent_path();
  return part;
}

Finding examine_access(const std::string& path) {
  std::error_code ignored;
  const fs::path part = existing_part(path);
  const bool made = fs::exists(path, ignored);
  Finding finding{.subject = fmt::format("data folder {}", path),
                  .what = made ? "can be used" : "does not exist yet; the server makes it"};
  if (!fs::is_directory(part, ignored)) {
    finding.verdict = Verdict::fail;
    finding.what = fmt::format("{} is no folder", part.string());
    finding.fix = "name another with --data";
  } else if (::access(part.c_str(), R_OK | W_OK | X_OK) != 0) {
    finding.verdict = Verdict::fail;
    finding.what = fmt::format("{} cannot be read and written: {}", part.string(), std::strerror(errno));
    finding.fix = "run as its owner, or chown it to the server's user";
  }
  return finding;
}

void add_disk(Findings& findings, const std::string& path) {
  struct statvfs disk{};
  if (::statvfs(existing_part(path).c_str(), &disk) != 0) return;
  findings.push_back(judge_disk(path, disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize));
}

bool contains(const std::vector<std::string>& sentences, const std::string& sentence) {
  return std::ranges::find(sentences, sentence) != sentences.end();
}

// What forbids the use of the server, or the promise that what is acknowledged is on disk.
std::vector<std::string> grave_faults(const std::string& url) {
  namespace postgres = store::postgres;
  try {
    postgres::Connection connection({.url = url, .application_name = "millrace doctor"});
    postgres::require_usable(connection);
    return postgres::durability_warnings(postgres::read_server_settings(connection));
  } catch (const std::exception& error) {
    return {error.what()};
  }
}

}  // namespace

Findings examine_data(const std::string& path) {
  Findings findings = {examine_access(path)};
  add_disk(findings, path);
  if (findings.front().verdict == Verdict::fail) return findings;
  const std::vector<std::string> passing = store::rocks::folder_warnings(path);
  for (const std::string& sentence : store::inspect_rocksdb_folder(path)) {
    // Of the warnings about the folder, the disk has its line already; what is no such warning is damage.
    if (!contains(passing, sentence)) {
      findings.push_back({.verdict = Verdict::fail, .subject = "stored data", .what = sentence});
    }
  }
  struct stat found{};
  if (::stat(path.c_str(), &found) == 0 && (found.st_mode & 077) != 0) {
    findings.push_back({.verdict = Verdict::warn,
                        .subject = "permissions",
                        .what = fmt::format("{} is open to other users (mode {:04o})", path, found.st_mode & 07777),
                        .fix = fmt::format("chmod 700 {}", path)});
  }
  return findings;
}

Findings examine_postgres(const std::string& url) {
  constexpr const char* kSubject = "PostgreSQL";
  Findings findings;
  const std::vector<std::string> grave = grave_faults(url);
  for (const std::string& sentence : grave) {
    findings.push_back({.verdict = Verdict::fail,
                        .subject = kSubject,
                        .what = sentence,
                        .fix = "see docs/operations.md on PostgreSQL"});
  }
  const auto repeats = [&](const std::string& sentence) {
    return std::ranges::any_of(grave, [&](const std::string& said) { return sentence.find(said) != sentence.npos; });
  };
  for (const std::string& sentence : store::inspect_postgres(url)) {
    if (!repeats(sentence)) findings.push_back({.verdict = Verdict::warn, .subject = kSubject, .what = sentence});
  }
  if (findings.empty()) findings.push_back({.subject = kSubject, .what = "can be used, and writes durably"});
  return findings;
}

}  // namespace millrace::cli
