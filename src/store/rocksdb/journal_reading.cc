#include "store/rocksdb/journal_reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace millrace::store::rocks {
namespace {

// What a file holds, at first sight.
struct Glimpse {
  std::uint64_t first = 0;   // the number of the record that the file begins with; 0: it begins with none
  std::uint64_t newest = 0;  // the highest number above `applied` of a record anywhere in it
};

class Reading {
 public:
  Reading(std::span<const JournalFile> files, const JournalQuestion& question, std::uint64_t secret,
          const VisitRecord& visit, const ReadProgress& progress)
      : files_(files), question_(question), secret_(secret), visit_(visit), progress_(progress) {
    answer_.files.resize(files.size());
    for (const JournalFile& file : files) all_ += file.bytes;
  }

  JournalAnswer answer() {
    std::string content;
    for (const JournalFile& file : files_) {
      read_start(file.path, file.file, file.bytes, content);
      seen_.push_back(glimpse(content));
      if (progress_) progress_(done_ += file.bytes, all_);
    }
    const bool connected = walk();
    answer_.last = std::max(answer_.walked, question_.applied);
    const std::size_t unreadable =
        connected && answer_.walked >= question_.applied && !files_.empty() ? unreadable_at_end() : 0;
    judge(connected, unreadable);
    return std::move(answer_);
  }

 private:
  Glimpse glimpse(std::string_view content) const {
    Glimpse seen;
    if (const auto first = record_at(content, kPage, secret_)) seen.first = first->number;
    for (std::size_t at = kPage; at + sizeof(RecordHead) <= content.size(); at += kPage) {
      const std::uint64_t number = read_head(content, at).number;
      // Most pages are refused by the number, without a hash over what follows.
      if (number > std::max(question_.applied, seen.newest) && record_at(content, at, secret_)) seen.newest = number;
    }
    return seen;
  }

  // Follows the numbers from file to file, from the one that holds applied + 1 or ends before it. False: what follows
  // `applied` is not there.
  bool walk() {
    std::vector<std::pair<std::uint64_t, std::size_t>> firsts;  // of the files that begin with a record
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (seen_[i].first != 0) firsts.emplace_back(seen_[i].first, i);
    }
    if (firsts.empty()) return true;
    std::ranges::sort(firsts);
    const auto above =
        std::ranges::upper_bound(firsts, question_.applied + 1, {}, &std::pair<std::uint64_t, std::size_t>::first);
    if (above == firsts.begin()) return false;
    std::string content;
    for (auto next = above - 1; next != firsts.end() && (answer_.walked == 0 || next->first == answer_.walked + 1);
         ++next) {
      answer_.active = next->second;
      const JournalFile& file = files_[answer_.active];
      read_start(file.path, file.file, file.bytes, content);
      walk_file(content, next->first);
    }
    return true;
  }

  void walk_file(std::string_view content, std::uint64_t first) {
    JournalAnswer::Filling& filling = answer_.files[answer_.active];
    for (std::uint64_t expected = first;; ++expected) {
      const auto record = record_at(content, filling.end, secret_);
      if (!record || record->number != expected) return;
      if (record->number > question_.applied && visit_) visit_(record->bytes);
      answer_.walked = filling.last = record->number;
      filling.end += whole_pages(sizeof(RecordHead) + record->bytes.size());
    }
  }

  // How many records lie where the log ends that can't be read, at most two. A crash leaves one at the most: the next
  // one is written after it is on disk.
  std::size_t unreadable_at_end() const {
    const JournalFile& file = files_[answer_.active];
    std::string content;
    read_start(file.path, file.file, file.bytes, content);
    std::size_t count = 0;
    for (std::size_t at = answer_.files[answer_.active].end; count < 2 && at + sizeof(RecordHead) <= content.size();
         ++count) {
      const RecordHead head = read_head(content, at);
      if (head.number != answer_.walked + 1 + count || head.length > content.size() - at - sizeof head) break;
      at += whole_pages(sizeof head + head.length);
    }
    return count;
  }

  void lose(std::string why) {
    answer_.damage.push_back(std::move(why));
    answer_.loss = JournalAnswer::Loss::some;
  }

  void judge(bool connected, std::size_t unreadable) {
    for (const JournalFile& file : files_) {
      if (file.bytes < question_.segment_bytes) lose(fmt::format("{} was cut to {} bytes", file.path, file.bytes));
      if (!file.secret) {
        answer_.damage.push_back(fmt::format("the first page of {} is damaged", file.path));
      } else if (*file.secret != secret_) {
        lose(fmt::format("{} is of another journal", file.path));
      }
    }
    answer_.seen = answer_.last + unreadable;
    for (const Glimpse& file : seen_) answer_.seen = std::max(answer_.seen, file.newest);
    if (!connected || answer_.seen > answer_.last + unreadable) {
      lose(fmt::format("record {} is damaged or missing, and later ones are there", answer_.last + 1));
    } else if (unreadable > 1) {
      lose(fmt::format("records {} and {} can't be read, where a crash tears one", answer_.last + 1, answer_.last + 2));
    }
    judge_newest();
    answer_.torn = unreadable == 1 && answer_.damage.empty();
  }

  void judge_newest() {
    const auto& newest = question_.newest;
    if (!newest && std::ranges::any_of(files_, &JournalFile::knows_marker)) {
      lose("`newest`, which says in which file the log ends, is missing or damaged, and that file may be missing too");
    }
    if (!newest) return;
    const bool there = std::ranges::any_of(files_, [&](const JournalFile& file) { return file.slot == newest->slot; });
    if (!there) {
      lose(fmt::format("{}, in which the log had come to record {}, is missing", file_name(newest->slot),
                       newest->first - 1));
    } else if (answer_.last + 1 < newest->first) {
      lose(fmt::format("the log ends with record {}, and had come to {}", answer_.last, newest->first - 1));
    }
    if (!there || answer_.last + 1 < newest->first) answer_.seen = std::max(answer_.seen, newest->first - 1);
  }

  std::span<const JournalFile> files_;
  const JournalQuestion& question_;
  std::uint64_t secret_;
  const VisitRecord& visit_;
  const ReadProgress& progress_;
  std::uint64_t done_ = 0;
  std::uint64_t all_ = 0;
  std::vector<Glimpse> seen_;
  JournalAnswer answer_;
};

}  // namespace

std::optional<std::uint64_t> choose_secret(std::span<const JournalFile> files, std::optional<std::uint64_t> known) {
  std::optional<std::uint64_t> chosen;
  for (const JournalFile& file : files) {
    if (file.secret && file.secret == known) return known;
    if (file.secret && !chosen) chosen = file.secret;
  }
  return chosen ? chosen : known;
}

JournalAnswer read_journal(std::span<const JournalFile> files, const JournalQuestion& question,
                           const VisitRecord& visit, const ReadProgress& progress) {
  const auto secret = choose_secret(files, question.secret);
  JournalAnswer answer = Reading(files, question, secret.value_or(0), visit, progress).answer();
  if (!secret && !files.empty()) {
    answer.damage.emplace_back("no first page says the secret that proves records, nor do the tables");
    answer.loss = JournalAnswer::Loss::some;
  }
  return answer;
}

std::string damage_text(const std::string& folder, const JournalAnswer& answer) {
  const std::string clauses = fmt::format("{}", fmt::join(answer.damage, "; "));
  if (answer.loss == JournalAnswer::Loss::none) {
    return fmt::format(
        "{} is damaged ({}), but every record up to {} is whole: start with --salvage-damaged-log, which "
        "loses nothing here, and look at the disk",
        folder, clauses, answer.last);
  }
  return fmt::format(
      "{} is damaged after record {} ({}): acknowledged writes may be lost; restore the data folder "
      "from a backup, or accept the loss with --salvage-damaged-log",
      folder, answer.last, clauses);
}

}  // namespace millrace::store::rocks
