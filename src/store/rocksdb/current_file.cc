#include "store/rocksdb/current_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

namespace millrace::store::rocks {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifest = "MANIFEST-";
// The list that RocksDB makes with a new database. It goes on to another one in the same open, before there are tables.
constexpr std::string_view kFirstManifest = "MANIFEST-000001";
constexpr const char* kWhatToDo = "nothing was changed; restore the folder from a backup";

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_manifest(std::string_view name) {
  return name.starts_with(kManifest) && is_number(name.substr(kManifest.size()));
}

// What only a store leaves, one that once had a CURRENT.
struct Remains {
  std::set<std::string> tables;
  std::set<std::string> manifests;
  std::set<std::string> logs;  // RocksDB's own, which had everything recent in folders of format 1
  bool journal = false;

  bool none() const { return tables.empty() && manifests.empty() && logs.empty() && !journal; }
};

Remains remains_in(const std::string& folder) {
  Remains remains;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(folder, gone)) {
    const fs::path name = entry.path().filename();
    const bool numbered = is_number(name.stem().string());
    if (numbered && name.extension() == ".sst") remains.tables.insert(name);
    if (numbered && name.extension() == ".log") remains.logs.insert(name);
    if (is_manifest(name.string()) && name != kFirstManifest) remains.manifests.insert(name);
    if (name == "journal") remains.journal = true;
  }
  return remains;
}

void tell(std::vector<std::string>& told, const std::set<std::string>& names, std::string_view what) {
  if (names.empty()) return;
  const std::string more = names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : "";
  told.push_back(fmt::format("{} ({}{})", what, *names.begin(), more));
}

std::string text_of(const Remains& remains) {
  std::vector<std::string> told;
  tell(told, remains.tables, "table files");
  tell(told, remains.manifests, "their list");
  tell(told, remains.logs, "logs");
  if (remains.journal) told.emplace_back("the journal");
  return fmt::format("{}", fmt::join(told, ", "));
}

// What CURRENT says, or the errno of reading it. Longer than any name that can be meant is long enough.
struct Said {
  std::string text;
  int error = 0;
};

Said read_current(const std::string& folder) {
  const int file = ::open((folder + "/CURRENT").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {.error = errno};
  std::array<char, 256> bytes{};
  const ssize_t got = ::read(file, bytes.data(), bytes.size());
  const Said said = got < 0 ? Said{.error = errno} : Said{.text = {bytes.data(), static_cast<std::size_t>(got)}};
  ::close(file);
  return said;
}

std::string fault_text(const std::string& folder, const std::string& what) {
  return fmt::format("data folder {}: {}; {}", folder, what, kWhatToDo);
}

std::optional<std::string> fault_of_unread(const std::string& folder, int error, const Remains& remains) {
  if (error == ENOENT && remains.none()) return std::nullopt;
  if (error == ENOENT) {
    return fault_text(folder,
                      fmt::format("CURRENT is missing, which a store begins with, and there are {}", text_of(remains)));
  }
  const std::string what = fmt::format("CURRENT cannot be read: {}", std::strerror(error));
  if (error != EACCES && error != EPERM) return fault_text(folder, what);
  return fmt::format("data folder {}: {}; chown the folder and all that is in it to the server's user", folder, what);
}

// Of what CURRENT names, newline and all.
std::optional<std::string> fault_of_name(const std::string& folder, const std::string& text, const Remains& remains) {
  if (text.empty()) return fault_text(folder, "CURRENT is empty");
  const std::string name = text.substr(0, text.size() - 1);
  if (!text.ends_with('\n') || !is_manifest(name))
    return fault_text(folder, "CURRENT is damaged and names no MANIFEST");
  std::error_code unknown;
  if (!fs::exists(folder + "/" + name, unknown)) {
    return fault_text(folder, fmt::format("CURRENT names {}, which is missing", name));
  }
  if (name == kFirstManifest && (!remains.tables.empty() || remains.journal)) {
    return fault_text(
        folder, fmt::format("CURRENT names {}, the list of a new database, and there are {}", name, text_of(remains)));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> current_file_fault(const std::string& folder) {
  // A server may be making the folder at this moment. It has CURRENT before any of what remains; so what remains is
  // looked for first.
  const Remains remains = remains_in(folder);
  Said said = read_current(folder);
  while (said.error == 0) {
    auto fault = fault_of_name(folder, said.text, remains);
    if (!fault) return std::nullopt;
    // Or it went on to another MANIFEST meanwhile.
    Said again = read_current(folder);
    if (again.error == 0 && again.text == said.text) return fault;
    said = std::move(again);
  }
  return fault_of_unread(folder, said.error, remains);
}

}  // namespace millrace::store::rocks
