#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/examine.h"
#include "store/installation.h"
#include "store/postgres/postgres_store.h"
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

// False where a fault was found.
bool add_stored_data(Findings& findings, const std::string& path) {
  bool sound = true;
  for (const store::Finding& finding : store::inspect_rocksdb_folder(path)) {
    // Its warnings are about the disk, which has a line already, and the permissions, which get one.
    if (finding.severity != store::Severity::fault) continue;
    findings.push_back({.verdict = Verdict::fail, .subject = "stored data", .what = finding.text});
    sound = false;
  }
  return sound;
}

void add_journal(Findings& findings, const std::string& path, const store::JournalProgress& progress) {
  using State = store::JournalCheck::State;
  const store::JournalCheck check = store::check_rocksdb_journal(path, progress);
  Finding finding{.subject = "journal"};
  switch (check.state) {
    case State::absent:
      return;
    case State::in_use:
      finding.what = "in use by a server, so it was not read";
      break;
    case State::whole:
      finding.what = fmt::format("{} MiB read, whole up to record {}{}{}", check.bytes >> 20, check.last,
                                 check.text.empty() ? "" : "; ", check.text);
      break;
    case State::damaged:
      finding.verdict = Verdict::fail;
      finding.what = check.text;
      finding.fix = "see docs/operations.md on durability";
      break;
  }
  findings.push_back(std::move(finding));
}

}  // namespace

std::optional<std::string> examine_installation(const std::string& data, const std::string& store, Findings& findings) {
  try {
    auto found = data.empty() ? store::find_postgres_installation(store) : store::find_rocksdb_installation(data);
    if (found) findings.push_back({.subject = "installation", .what = *found});
    return found;
  } catch (const store::StoreError& error) {
    // A database that does not answer has a line already.
    if (!data.empty()) {
      findings.push_back({.verdict = Verdict::fail, .subject = "installation", .what = error.what()});
    }
    return std::nullopt;
  }
}

Findings examine_data(const std::string& path, const store::JournalProgress& progress) {
  Findings findings = {examine_access(path)};
  add_disk(findings, path);
  if (findings.front().verdict == Verdict::fail) return findings;
  // The journal is held against what the tables say.
  if (add_stored_data(findings, path)) add_journal(findings, path, progress);
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
  for (const store::Finding& finding : store::inspect_postgres(url)) {
    const bool fault = finding.severity == store::Severity::fault;
    findings.push_back(
        {.verdict = fault ? Verdict::fail : Verdict::warn, .subject = kSubject, .what = finding.text, .fix = ""});
  }
  if (findings.empty()) findings.push_back({.subject = kSubject, .what = "can be used, and writes durably"});
  return findings;
}

}  // namespace millrace::cli
