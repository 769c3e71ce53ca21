// Lists of branches by the key under which they are found. Filled while an index is built, then packed into one
// array and read by any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace millrace::match {

using BranchId = std::uint32_t;
using PostingId = std::uint32_t;

// What it means that a value led to a list: its branches may want the value, or they do.
enum class Evidence : std::uint8_t { hint, proof };

class Postings {
 public:
  static constexpr PostingId kNone = 0xffffffff;

  PostingId make() { return lists_++; }
  std::size_t size() const { return lists_; }
  void add(PostingId list, BranchId branch) { added_.push_back({list, branch}); }
  // Call once, after the last add() and before the first at().
  void pack();

  std::span<const BranchId> at(PostingId list) const {
    return std::span(branches_).subspan(begins_[list], begins_[list + 1] - begins_[list]);
  }

 private:
  struct Added {
    PostingId list;
    BranchId branch;
  };

  std::uint32_t lists_ = 0;
  std::vector<Added> added_;
  std::vector<std::uint32_t> begins_;
  std::vector<BranchId> branches_;
};

}  // namespace millrace::match
