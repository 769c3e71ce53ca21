#include "store/rocksdb/journal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/log.h"
#include "store/store_error.h"

namespace millrace::store::rocks {
namespace {

// The clauses say which files; this says what became of the records.
void report_salvage(const std::string& folder, const JournalAnswer& answer) {
  const std::string clauses = fmt::format("{}", fmt::join(answer.damage, "; "));
  if (answer.loss == JournalAnswer::Loss::none) {
    spdlog::warn("store: {} was damaged ({}); every record up to {} was read, nothing is lost", folder, clauses,
                 answer.last);
  } else if (answer.seen > answer.last) {
    // A file that is gone or emptied may have had more than anything still says.
    spdlog::warn("store: {} was damaged ({}); kept up to record {}, lost: records {} to {} at least", folder, clauses,
                 answer.last, answer.last + 1, answer.seen);
  } else {
    spdlog::warn("store: {} was damaged ({}); kept up to record {}, whatever came after it is lost", folder, clauses,
                 answer.last);
  }
}

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
    sync_names(folder.parent_path());
  }
  past_cache_ = options_.sync && options_.past_cache && takes_direct_writes(options_.folder);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == kUnfinished) std::filesystem::remove(entry.path());
    if (const auto slot = slot_of(entry.path())) {
      segments_.push_back(writable(open_journal_file(options_.folder, *slot, Access::write)));
    }
  }
  std::ranges::sort(segments_, {}, &Segment::slot);
  marker_.emplace(options_.folder);
  if (segments_.empty()) {
    secret_ = new_secret();
    // Before there is a file that knows of it.
    if (!marker_->latest()) marker_->write(next_slot_, next());
    segments_.push_back(made(next_slot_++, options_.segment_bytes));
    return;
  }
  next_slot_ = segments_.back().slot + 1;
}

Journal::~Journal() {
  if (spare_.valid()) {
    try {
      segments_.push_back(spare_.get());
    } catch (const StoreError& error) {
      spdlog::debug("store: a file of the journal that is no longer needed was not made: {}", error.what());
    }
  }
  for (const Segment& segment : segments_) close(segment);
}

void Journal::close(const Segment& segment) {
  ::close(segment.file);
  if (segment.direct >= 0) ::close(segment.direct);
}

Journal::Segment Journal::writable(JournalFile file) const {
  const int direct = past_cache_ ? open_direct(file) : -1;
  return {std::move(file), direct};
}

Journal::Segment Journal::made(int slot, std::size_t bytes) const {
  return writable(make_journal_file(options_.folder, slot, bytes, secret_));
}

void Journal::replay(std::uint64_t applied, Damage damage, const VisitRecord& visit,
                     const std::function<void()>& make_durable) {
  const std::vector<JournalFile> files(segments_.begin(), segments_.end());
  const JournalQuestion question{.applied = applied,
                                 .secret = options_.secret,
                                 .newest = marker_->latest(),
                                 .segment_bytes = options_.segment_bytes};
  const JournalAnswer answer = read_journal(files, question, visit);
  if (!answer.damage.empty() && damage == Damage::refuse) {
    throw StoreError(Fate::broken, damage_text(options_.folder, answer));
  }
  if (!answer.damage.empty()) {
    report_salvage(options_.folder, answer);
  } else if (answer.torn) {
    spdlog::warn(
        "store: record {} of the journal is not whole and was dropped: it was not acknowledged, unless the disk "
        "damaged it",
        answer.last + 1);
  }
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    segments_[i].end = answer.files[i].end;
    segments_[i].last = answer.files[i].last;
  }
  active_ = answer.active;
  last_ = answer.last;
  released_ = applied;
  // Before there is a file that knows of it, as start_anew() and append() make them.
  if (!marker_->latest()) marker_->write(segments_[active_].slot, next());
  // Without a break in the numbers the log goes on where it ended; else with new files, above all that was.
  if (answer.damage.empty() && answer.walked >= applied) {
    secret_ = *choose_secret(files, options_.secret);
    return;
  }
  make_durable();
  // After damage, records that were given up may still be whole: with another secret they never come back.
  start_anew(answer.damage.empty() ? *choose_secret(files, options_.secret) : new_secret());
}

void Journal::start_anew(std::uint64_t secret) {
  const std::vector<Segment> old = std::exchange(segments_, {});
  secret_ = secret;
  segments_.push_back(made(next_slot_++, options_.segment_bytes));
  active_ = 0;
  marker_->write(segments_[active_].slot, next());
  for (const Segment& segment : old) {
    close(segment);
    if (unlink(segment.path.c_str()) != 0) fail_file(segment.path, "remove", errno);
  }
  sync_names(options_.folder);
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
  spare_ = std::async(std::launch::async, [this, slot = next_slot_++] { return made(slot, options_.segment_bytes); });
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
    segments_.push_back(made(next_slot_++, std::max(options_.segment_bytes, kPage + bytes)));
    found = segments_.end() - 1;
  }
  go_on_in(*found);
  return *found;
}

void Journal::go_on_in(Segment& segment) {
  active_ = static_cast<std::size_t>(&segment - segments_.data());
  segment.end = kPage;
}

// After a record that is on disk and not acknowledged yet: whoever was told of one in a file, the marker knows the
// file; and it knows of a record that the tables do not have, if there is one.
void Journal::mark(const Segment& segment) {
  // Where records need not reach the disk, one that says how far they had come would accuse it.
  if (!options_.sync) return;
  const std::optional<Begun>& latest = marker_->latest();
  const bool is_known = latest && latest->slot == segment.slot && latest->first > released_ + 1;
  if (!is_known) marker_->write(segment.slot, next());
}

// Durable when it returns, where records are to be.
void Journal::put(const Segment& segment, std::span<const std::string_view> parts) {
  // Whole pages: a direct write takes nothing else, and the page cache need not read what it writes over.
  const std::string_view pages = pages_.filled(parts);
  if (segment.direct >= 0) return write_durably(segment.path, segment.direct, segment.end, pages);
  write_at(segment.path, segment.file, segment.end, {&pages, 1});
  if (options_.sync) sync_data(segment.path, segment.file);
}

void Journal::append(std::string_view record) {
  const RecordHead head = record_head(secret_, next(), record);
  const std::array parts = {std::string_view(reinterpret_cast<const char*>(&head), sizeof head), record};
  const std::size_t bytes = whole_pages(sizeof head + record.size());
  Segment& segment = with_room(bytes);
  put(segment, parts);
  segment.end += bytes;
  segment.last = last_ = head.number;
  mark(segment);
}

}  // namespace millrace::store::rocks
