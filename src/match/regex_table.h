// The regular expressions that match a text, among many, in one pass: an RE2::Set, whose automaton is built as
// texts come and thrown away when it reaches its bound. Any thread may ask.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "match/condition.h"
#include "match/postings.h"

namespace millrace::match {

class RegexTable {
 public:
  RegexTable();
  ~RegexTable();

  PostingId& at(const re2::RE2& regex);
  // Call once, after the last at() and before the first find().
  void build();
  // Appends what matches. If the automaton cannot stay within its bound: all of them, so the caller looks again.
  void find(std::string_view text, std::vector<PostingId>& found) const;

 private:
  struct Set;
  std::unique_ptr<Set> set_;
  std::vector<PostingId> postings_;  // by the regex's number in the set
};

}  // namespace millrace::match
