#include "store/rocksdb/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include "base/log.h"
#include "store/store_error.h"

namespace millrace::store::rocks {
namespace {

// What a disk writes whole or not at all, at the least, and what the page cache reads and writes.
constexpr std::size_t kPage = 4096;
constexpr std::uint64_t kFileMagic = 0x314c4e4a45434152;  // "RACEJNL1"
constexpr std::string_view kSuffix = ".log";
constexpr std::string_view kUnfinished = ".new";

// The first page of a file.
struct FileHead {
  std::uint64_t magic;
  std::uint64_t secret;
  std::uint64_t hash;  // of the two above
};

struct RecordHead {
  std::uint64_t hash;  // of number, length and bytes, seeded with the secret
  std::uint64_t number;
  std::uint64_t length;
};

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

std::uint64_t hash_of(std::uint64_t secret, std::uint64_t number, std::string_view record) {
  return XXH3_64bits_withSeed(record.data(), record.size(), secret ^ number * 0x9e3779b97f4a7c15 ^ record.size());
}

// The record that starts at `at`, if a whole one does.
struct Found {
  std::uint64_t number;
  std::string_view bytes;
};
std::optional<Found> record_at(std::string_view content, std::size_t at, std::uint64_t secret) {
  if (at + sizeof(RecordHead) > content.size()) return std::nullopt;
  RecordHead head;
  std::memcpy(&head, content.data() + at, sizeof head);
  if (head.number == 0 || head.length > content.size() - at - sizeof head) return std::nullopt;
  const auto bytes = content.substr(at + sizeof head, head.length);
  if (hash_of(secret, head.number, bytes) != head.hash) return std::nullopt;
  return Found{head.number, bytes};
}

std::string file_head(std::uint64_t secret) {
  FileHead head{kFileMagic, secret, 0};
  head.hash = XXH3_64bits(&head, offsetof(FileHead, hash));
  std::string page(kPage, '\0');
  std::memcpy(page.data(), &head, sizeof head);
  return page;
}

std::uint64_t new_secret() {
  std::uint64_t secret = 0;
  if (getrandom(&secret, sizeof secret, 0) != sizeof secret) {
    throw StoreError(Fate::broken, "the system gives no random numbers");
  }
  return secret;
}

std::optional<int> slot_of(const std::filesystem::path& path) {
  if (path.extension() != kSuffix) return std::nullopt;
  const std::string stem = path.stem();
  int slot = 0;
  const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), slot);
  if (error != std::errc() || end != stem.data() + stem.size()) return std::nullopt;
  return slot;
}

// Everything of `parts`, at `at`. False with errno where it fails.
bool write_all(int file, std::span<iovec> parts, off_t at) {
  while (!parts.empty()) {
    const ssize_t wrote = pwritev(file, parts.data(), static_cast<int>(parts.size()), at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    at += wrote;
    auto left = static_cast<std::size_t>(wrote);
    while (!parts.empty() && left >= parts.front().iov_len) {
      left -= parts.front().iov_len;
      parts = parts.subspan(1);
    }
    if (!parts.empty()) {
      parts.front().iov_base = static_cast<char*>(parts.front().iov_base) + left;
      parts.front().iov_len -= left;
    }
  }
  return true;
}

iovec part(std::string_view bytes) { return {const_cast<char*>(bytes.data()), bytes.size()}; }

}  // namespace

bool Journal::exists(const std::string& folder) {
  std::error_code absent;
  return std::ranges::any_of(std::filesystem::directory_iterator(folder, absent),
                             [](const auto& entry) { return slot_of(entry.path()).has_value(); });
}

Journal::Journal(JournalOptions options) : options_(std::move(options)) {
  const std::filesystem::path folder(options_.folder);
  if (!std::filesystem::exists(folder)) {
    std::filesystem::create_directory(folder);
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
    sync_folder(folder.parent_path());
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == kUnfinished) std::filesystem::remove(entry.path());
    if (const auto slot = slot_of(entry.path())) segments_.push_back(open_segment(*slot));
  }
  std::ranges::sort(segments_, {}, &Segment::slot);
  std::string page;
  for (const Segment& segment : segments_) {
    read(segment, kPage, page);
    remember_secret(page, path_of(segment.slot));
    next_slot_ = segment.slot + 1;
  }
  if (!segments_.empty()) return;
  secret_ = new_secret();
  segments_.push_back(make_segment(next_slot_++, options_.segment_bytes));
}

Journal::~Journal() {
  if (spare_.valid()) {
    try {
      segments_.push_back(spare_.get());
    } catch (const StoreError& error) {
      spdlog::debug("store: a file of the journal that is no longer needed was not made: {}", error.what());
    }
  }
  for (const Segment& segment : segments_) close(segment.file);
}

std::string Journal::path_of(int slot) const { return fmt::format("{}/{:06}{}", options_.folder, slot, kSuffix); }

void Journal::fail(const std::string& path, const char* what, int error) const {
  throw StoreError(Fate::broken, fmt::format("{} {}: {}", what, path, std::strerror(error)));
}

Journal::Segment Journal::open_segment(int slot) const {
  const std::string path = path_of(slot);
  Segment segment{.slot = slot, .end = kPage};
  segment.file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (segment.file < 0) fail(path, "open", errno);
  struct stat st{};
  if (fstat(segment.file, &st) != 0) fail(path, "stat", errno);
  segment.bytes = static_cast<std::size_t>(st.st_size);
  return segment;
}

// Zeros are written, not allocated: turning allocated space into written space would be a change of the
// file's map, which is what a commit must not wait for.
Journal::Segment Journal::make_segment(int slot, std::size_t bytes) const {
  const std::string path = path_of(slot);
  const std::string unfinished = path + std::string(kUnfinished);
  Segment segment{.slot = slot, .bytes = bytes, .end = kPage};
  segment.file = open(unfinished.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (segment.file < 0) fail(unfinished, "make", errno);
  std::string zeros(std::size_t{1} << 20, '\0');
  for (std::size_t at = 0; at < bytes; at += zeros.size()) {
    std::array parts = {part(std::string_view(zeros).substr(0, bytes - at))};
    if (!write_all(segment.file, parts, static_cast<off_t>(at))) fail(unfinished, "write", errno);
  }
  const std::string head = file_head(secret_);
  std::array parts = {part(head)};
  if (!write_all(segment.file, parts, 0)) fail(unfinished, "write", errno);
  if (fsync(segment.file) != 0) fail(unfinished, "sync", errno);
  if (rename(unfinished.c_str(), path.c_str()) != 0) fail(path, "rename", errno);
  sync_folder(options_.folder);
  return segment;
}

void Journal::sync_folder(const std::string& path) const {
  const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) fail(path, "open", errno);
  const int failed = fsync(folder);
  const int error = errno;
  close(folder);
  if (failed != 0) fail(path, "sync", error);
}

void Journal::read(const Segment& segment, std::size_t bytes, std::string& out) const {
  out.resize(bytes);
  std::size_t at = 0;
  while (at < bytes) {
    const ssize_t got = pread(segment.file, out.data() + at, bytes - at, static_cast<off_t>(at));
    if (got < 0 && errno != EINTR) fail(path_of(segment.slot), "read", errno);
    if (got == 0) break;
    if (got > 0) at += static_cast<std::size_t>(got);
  }
  out.resize(at);
}

void Journal::remember_secret(std::string_view page, const std::string& path) {
  FileHead head{};
  if (page.size() == kPage) std::memcpy(&head, page.data(), sizeof head);
  const bool whole = head.magic == kFileMagic && head.hash == XXH3_64bits(&head, offsetof(FileHead, hash));
  if (!whole || (secret_ != 0 && head.secret != secret_)) {
    throw StoreError(Fate::broken, fmt::format("{} is damaged: its first page is none of this journal", path));
  }
  secret_ = head.secret;
}

struct Journal::Glimpse {
  std::uint64_t first = 0;   // the number of the record that the file begins with; 0: it begins with none
  std::uint64_t newest = 0;  // the highest number above `applied` of a record anywhere in it
};

Journal::Glimpse Journal::glimpse(std::string_view content, std::uint64_t applied) const {
  Glimpse seen;
  if (const auto first = record_at(content, kPage, secret_)) seen.first = first->number;
  for (std::size_t at = kPage; at + sizeof(RecordHead) <= content.size(); at += kPage) {
    RecordHead head;
    std::memcpy(&head, content.data() + at, sizeof head);
    // Most pages are refused by the number, without a hash over what follows.
    if (head.number > std::max(applied, seen.newest) && record_at(content, at, secret_)) seen.newest = head.number;
  }
  return seen;
}

// Follows the numbers from file to file, from the one that holds applied + 1 or ends before it. Afterwards
// last_ is the end of the log. False: what follows `applied` is not there.
bool Journal::walk(std::span<const Glimpse> seen, std::uint64_t applied, const Visit& visit) {
  std::vector<std::pair<std::uint64_t, std::size_t>> firsts;  // of the files that begin with a record
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i].first != 0) firsts.emplace_back(seen[i].first, i);
  }
  if (firsts.empty()) return true;
  std::ranges::sort(firsts);
  const auto above = std::ranges::upper_bound(firsts, applied + 1, {}, &std::pair<std::uint64_t, std::size_t>::first);
  if (above == firsts.begin()) return false;
  std::string content;
  for (auto next = above - 1; next != firsts.end() && (last_ == 0 || next->first == last_ + 1); ++next) {
    active_ = next->second;
    read(segments_[active_], segments_[active_].bytes, content);
    walk_file(content, next->first, applied, visit);
  }
  return true;
}

void Journal::walk_file(std::string_view content, std::uint64_t first, std::uint64_t applied, const Visit& visit) {
  Segment& segment = segments_[active_];
  for (std::uint64_t expected = first;; ++expected) {
    const auto record = record_at(content, segment.end, secret_);
    if (!record || record->number != expected) return;
    if (record->number > applied) visit(record->bytes);
    last_ = segment.last = record->number;
    segment.end += whole_pages(sizeof(RecordHead) + record->bytes.size());
  }
}

// How many records lie where the log ends that can't be read, at most two. A crash leaves one at the most: the next one
// is written after it is on disk.
std::size_t Journal::unreadable_at_end() const {
  const Segment& segment = segments_[active_];
  std::size_t count = 0;
  for (std::size_t at = segment.end; count < 2 && at + sizeof(RecordHead) <= segment.bytes; ++count) {
    RecordHead head{};
    if (pread(segment.file, &head, sizeof head, static_cast<off_t>(at)) != sizeof head) break;
    if (head.number != last_ + 1 + count || head.length > segment.bytes - at - sizeof head) break;
    at += whole_pages(sizeof head + head.length);
  }
  return count;
}

void Journal::replay(std::uint64_t applied, Damage damage, const Visit& visit) {
  std::vector<Glimpse> seen;
  std::string content;
  for (const Segment& segment : segments_) {
    read(segment, segment.bytes, content);
    seen.push_back(glimpse(content, applied));
  }
  released_ = applied;
  const bool connected = walk(seen, applied, visit);
  const std::uint64_t end = std::max(last_, applied);
  const std::size_t unreadable = connected && last_ >= applied ? unreadable_at_end() : 0;
  const bool cut = std::ranges::any_of(segments_, [&](const Segment& s) { return s.bytes < options_.segment_bytes; });
  const bool damaged = !connected || cut || unreadable > 1 ||
                       std::ranges::any_of(seen, [&](const Glimpse& file) { return file.newest > end; });
  if (damaged && damage == Damage::refuse) {
    throw StoreError(Fate::broken, fmt::format("{} is damaged after record {}: acknowledged writes would be lost; "
                                               "restore the data folder from a backup, or accept the loss with "
                                               "--salvage-damaged-log",
                                               options_.folder, end));
  }
  if (damaged) {
    spdlog::warn("store: the journal is damaged; what came after record {} is lost", end);
  } else if (unreadable == 1) {
    spdlog::warn(
        "store: record {} of the journal is not whole and was dropped: it was not acknowledged, unless the disk "
        "damaged it",
        end + 1);
  }
  // Without a break in the numbers the log goes on where it ended; else with new files, above all that was.
  const bool goes_on = !damaged && last_ >= applied;
  last_ = end;
  if (goes_on) return;
  for (const Segment& segment : segments_) {
    close(segment.file);
    if (unlink(path_of(segment.slot).c_str()) != 0) fail(path_of(segment.slot), "remove", errno);
  }
  segments_.clear();
  secret_ = new_secret();
  segments_.push_back(make_segment(next_slot_++, options_.segment_bytes));
  active_ = 0;
}

void Journal::release(std::uint64_t through) { released_ = std::max(released_, through); }

std::size_t Journal::bytes_in_use() const {
  std::size_t bytes = 0;
  for (const Segment& segment : segments_) {
    if (segment.last > released_) bytes += segment.end;
  }
  return bytes;
}

void Journal::prepare_spare() {
  const auto is_free = [&](const Segment& segment) {
    return &segment != &segments_[active_] && segment.last <= released_ && segment.bytes >= options_.segment_bytes;
  };
  if (spare_.valid() || std::ranges::any_of(segments_, is_free)) return;
  spare_ = std::async(std::launch::async,
                      [this, slot = next_slot_++] { return make_segment(slot, options_.segment_bytes); });
}

// The segment for a record of so many whole pages.
Journal::Segment& Journal::with_room(std::size_t bytes) {
  if (Segment& active = segments_[active_]; active.end + bytes <= active.bytes) {
    if (active.end > active.bytes / 2) prepare_spare();
    return active;
  }
  const auto fits = [&](const Segment& segment) {
    return segment.last <= released_ && kPage + bytes <= segment.bytes && &segment != &segments_[active_];
  };
  auto found = std::ranges::find_if(segments_, fits);
  if (found == segments_.end() && spare_.valid()) {
    segments_.push_back(spare_.get());
    found = std::ranges::find_if(segments_, fits);
  }
  if (found == segments_.end()) {
    segments_.push_back(make_segment(next_slot_++, std::max(options_.segment_bytes, kPage + bytes)));
    found = segments_.end() - 1;
  }
  active_ = static_cast<std::size_t>(found - segments_.begin());
  found->end = kPage;
  return *found;
}

void Journal::append(std::string_view record) {
  RecordHead head{.hash = 0, .number = next(), .length = record.size()};
  head.hash = hash_of(secret_, head.number, record);
  const std::size_t pages = whole_pages(sizeof head + record.size());
  Segment& segment = with_room(pages);
  write_pages(segment, {reinterpret_cast<const char*>(&head), sizeof head}, record);
  segment.end += pages;
  segment.last = last_ = head.number;
}

void Journal::write_pages(const Segment& segment, std::string_view head, std::string_view record) {
  static constexpr std::array<char, kPage> kZeros{};
  // Whole pages: the page cache need not read what it writes over.
  const std::size_t padding = whole_pages(head.size() + record.size()) - head.size() - record.size();
  std::array parts = {part(head), part(record), part({kZeros.data(), padding})};
  if (!write_all(segment.file, parts, static_cast<off_t>(segment.end))) fail(path_of(segment.slot), "write", errno);
  if (options_.sync && fdatasync(segment.file) != 0) fail(path_of(segment.slot), "sync", errno);
}

}  // namespace millrace::store::rocks
