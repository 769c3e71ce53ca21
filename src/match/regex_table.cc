#include "match/regex_table.h"

#include <absl/container/flat_hash_map.h>
#include <re2/re2.h>
#include <re2/set.h>

#include <string>

namespace millrace::match {
namespace {

// Of the program and its automaton, for all regular expressions of one field.
constexpr std::int64_t kSetBytesMax = 32 << 20;

re2::RE2::Options set_options() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kSetBytesMax);
  return options;
}

}  // namespace

struct RegexTable::Set {
  re2::RE2::Set automaton{set_options(), re2::RE2::ANCHOR_BOTH};
  absl::flat_hash_map<std::string, std::size_t> numbers;
  bool usable = true;
};

RegexTable::RegexTable() : set_(std::make_unique<Set>()) {}
RegexTable::~RegexTable() = default;

PostingId& RegexTable::at(const re2::RE2& regex) {
  const auto [entry, is_new] = set_->numbers.try_emplace(regex.pattern(), postings_.size());
  if (is_new) {
    postings_.push_back(Postings::kNone);
    set_->usable = set_->usable && set_->automaton.Add(regex.pattern(), nullptr) == static_cast<int>(entry->second);
  }
  return postings_[entry->second];
}

void RegexTable::build() { set_->usable = set_->usable && set_->automaton.Compile(); }

void RegexTable::find(std::string_view text, std::vector<PostingId>& found) const {
  std::vector<int> numbers;
  re2::RE2::Set::ErrorInfo error{};
  if (set_->usable) set_->automaton.Match(text, &numbers, &error);
  if (!set_->usable || error.kind != re2::RE2::Set::kNoError) {
    found.insert(found.end(), postings_.begin(), postings_.end());
    return;
  }
  for (const int number : numbers) found.push_back(postings_[static_cast<std::size_t>(number)]);
}

}  // namespace millrace::match
