#include "blob/folder_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <mutex>

#include "base/assert.h"
#include "base/digest.h"
#include "blob/file_name.h"
#include "blob/files.h"

namespace millrace::blob {
namespace {

namespace fs = std::filesystem;

// A put that did not come to its end leaves one behind; after this time nobody is writing it any more.
constexpr std::string_view kUnfinished = ".unfinished-";
constexpr Millis kUnfinishedAge = std::chrono::hours(1);

// Spreads the blobs of a tenant over 256 folders, so that listings go in steps.
std::string part_of(std::string_view key) { return to_hex(sha256(key).substr(0, 1)); }

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

class FolderStore final : public BlobStore, private Mark {
 public:
  explicit FolderStore(FolderOptions options) : root_(std::move(options.root)), sync_(std::move(options.sync)) {
    if (!sync_) sync_ = ::fsync;
    if (root_.ends_with('/') && root_.size() > 1) root_.pop_back();
    make_folders(root_, sync_);
    if (::access(root_.c_str(), R_OK | W_OK | X_OK) != 0) refuse(root_, "cannot be read and written", errno);
  }

  std::string bucket() const override { return "blobs"; }

  Put put(const TenantId& tenant, std::string_view key, std::string_view bytes) override {
    MR_ASSERT(!key.empty() && key.size() <= kKeyBytesMax, "keys are bounded");
    const std::string path = path_of(tenant, key);
    const std::string folder = fs::path(path).parent_path().string();
    make_folders(folder, sync_);
    const std::string fresh = fmt::format("{}/{}{}-{}", folder, kUnfinished, ::getpid(), next_.fetch_add(1));
    try {
      write_synced(fresh, bytes, sync_);
      const Put done = name(fresh, path, bytes);
      if (done == Put::stored) sync_folder(folder, sync_);
      return done;
    } catch (...) {
      ::unlink(fresh.c_str());
      throw;
    }
  }

  std::optional<std::string> get(const TenantId& tenant, std::string_view key) override {
    if (key.empty() || key.size() > kKeyBytesMax) return std::nullopt;
    return read_whole(path_of(tenant, key));
  }

  void remove(const TenantId& tenant, std::string_view key, Time before) override {
    const std::string path = path_of(tenant, key);
    const std::lock_guard lock(lock_of(path));
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0 || written_at(status) >= before) return;
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) refuse(path, "cannot be removed", errno);
  }

  // A cursor is "<tenant>/<part>", the part that comes next. A page has whole parts.
  Page list(std::string_view cursor, std::size_t limit) override {
    Page page;
    for (const std::string& tenant : names_in(root_)) {
      const auto id = TenantId::parse(tenant);
      if (!id) continue;
      for (const std::string& part : names_in(fs::path(root_) / tenant)) {
        const std::string at = tenant + "/" + part;
        if (at < cursor) continue;
        if (page.entries.size() >= limit) {
          page.next = at;
          return page;
        }
        list_part(*id, fs::path(root_) / at, "", page.entries);
      }
    }
    return page;
  }

  Mark* mark() override { return this; }

 private:
  std::optional<std::string> owner() override { return read_folder_mark(root_); }

  // By a link, which never replaces a mark that came first and always has all of its bytes.
  bool mark_first(std::string_view installation) override {
    const std::string fresh = write_mark(installation);
    const bool named = ::link(fresh.c_str(), mark_path().c_str()) == 0;
    const int error = errno;
    if (!named && (error == EPERM || error == EOPNOTSUPP || error == ENOSYS)) return name_without_links(fresh);
    ::unlink(fresh.c_str());
    if (!named && error != EEXIST) refuse(mark_path(), "cannot be made", error);
    sync_folder(root_, sync_);
    return named;
  }
  void mark_anew(std::string_view installation) override { name_mark(write_mark(installation)); }

  Millis good_for() const override { return Millis(0); }

  std::string mark_path() const { return fmt::format("{}/{}", root_, kMarkName); }
  std::string write_mark(std::string_view installation) {
    const std::string fresh = fmt::format("{}/{}{}-{}", root_, kUnfinished, ::getpid(), next_.fetch_add(1));
    ::unlink(fresh.c_str());  // of a process with the same number that did not come to its end
    write_synced(fresh, mark_text(installation), sync_);
    return fresh;
  }
  void name_mark(const std::string& fresh) {
    if (::rename(fresh.c_str(), mark_path().c_str()) != 0) refuse(mark_path(), "cannot be named", errno);
    sync_folder(root_, sync_);
  }
  bool name_without_links(const std::string& fresh) {
    if (!owner()) return name_mark(fresh), true;
    ::unlink(fresh.c_str());
    return false;
  }

  std::string path_of(const TenantId& tenant, std::string_view key) const {
    return fmt::format("{}/{}/{}/{}", root_, tenant.text(), part_of(key), path_of_key(key));
  }
  std::mutex& lock_of(const std::string& path) { return locks_[std::hash<std::string>{}(path) % locks_.size()]; }

  // Gives the synced file its name unless other bytes have it.
  Put name(const std::string& fresh, const std::string& path, std::string_view bytes) {
    const std::lock_guard lock(lock_of(path));
    if (const auto present = read_whole(path); present && *present != bytes) {
      ::unlink(fresh.c_str());
      return Put::taken;
    }
    // Also in the place of the same bytes: the file there may never have been synced, and this one is new.
    if (::rename(fresh.c_str(), path.c_str()) != 0) refuse(path, "cannot be named", errno);
    return Put::stored;
  }

  void list_part(const TenantId& tenant, const fs::path& folder, const std::string& above,
                 std::vector<Entry>& entries) {
    for (const std::string& file : names_in(folder)) {
      const fs::path path = folder / file;
      struct stat status{};
      if (::lstat(path.c_str(), &status) != 0) continue;
      if (S_ISDIR(status.st_mode)) {
        list_part(tenant, path, above + file + "/", entries);
      } else if (file.starts_with(kUnfinished)) {
        if (written_at(status) + kUnfinishedAge < SystemClock().now()) ::unlink(path.c_str());
      } else if (auto key = key_of_path(above + file)) {
        entries.push_back({tenant, *std::move(key), written_at(status)});
      }
    }
  }

  std::string root_;
  Sync sync_;
  std::atomic<std::uint64_t> next_{1};
  std::array<std::mutex, 64> locks_;  // between naming a blob and removing it
};

}  // namespace

std::optional<std::string> read_folder_mark(const std::string& root) {
  const auto mark = read_whole(fmt::format("{}/{}", root, kMarkName));
  return mark ? std::optional(installation_in(*mark)) : std::nullopt;
}

std::unique_ptr<BlobStore> open_folder(FolderOptions options) {
  return std::make_unique<FolderStore>(std::move(options));
}

}  // namespace millrace::blob
