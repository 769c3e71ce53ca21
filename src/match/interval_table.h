// The ranges that contain a number, among many: a segment tree over the ranges' ends. Ends are doubles and count
// as included, so what is found is a candidate; the caller looks again. Built once, then read by any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "match/condition.h"
#include "match/postings.h"

namespace millrace::match {

class IntervalTable {
 public:
  void add(const Interval& interval, PostingId posting);
  // Call once, after the last add() and before the first find().
  void build();

  template <class Found>
  void find(double number, Found found) const;

 private:
  struct Entry {
    double low;
    double high;
    PostingId posting;
  };
  // A slot for each end and for each gap between neighbours: with ends e0 < e1 < …, slot 2i+1 is e_i itself.
  std::size_t slot_of(double number) const;
  template <class Visit>
  void cover(const Entry& entry, Visit visit) const;

  std::vector<Entry> added_;
  std::vector<double> ends_;
  std::size_t leaves_ = 0;             // of the tree; node n has children 2n and 2n+1, slot s is node leaves_ + s
  std::vector<std::uint32_t> filled_;  // the node itself or the nearest above it that has postings; 0: none
  std::vector<std::uint32_t> begins_;  // of a node in postings_
  std::vector<PostingId> postings_;
};

template <class Found>
void IntervalTable::find(double number, Found found) const {
  for (std::size_t node = filled_[leaves_ + slot_of(number)]; node != 0; node = filled_[node / 2]) {
    for (std::uint32_t i = begins_[node]; i < begins_[node + 1]; ++i) found(postings_[i]);
  }
}

}  // namespace millrace::match
