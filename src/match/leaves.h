// Every value of an event that is neither array nor object, with its path: the plain way, for the reference
// matcher and explain. The rule set has its own, which looks only where a rule looks (flatten.h).
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "match/condition.h"
#include "match/event_view.h"

namespace millrace::match {

// Which element of an array, by numbers that are unique within one event.
struct Membership {
  int array;
  int element;

  bool operator==(const Membership&) const = default;
};

struct Leaf {
  std::string path;  // keys joined with dots; arrays leave no trace in it
  Scalar value;
  std::vector<Membership> inside;  // the arrays around it whose element it shares with other leaves, outermost first
};

class Leaves {
 public:
  explicit Leaves(const EventView& event);

  const std::vector<Leaf>& all() const { return leaves_; }

 private:
  void add_value(const std::string& path, json::Value value);
  void add_object(const std::string* path, json::Value object);
  void add_array(const std::string& path, json::Value array);
  void add_scalar(const std::string& path, json::Value value);
  void add_text(const std::string& path, std::string_view text);

  std::vector<Leaf> leaves_;
  std::deque<std::string> texts_;  // what escapes forbid to view in the source
  std::vector<Membership> inside_;
  int arrays_ = 0;
};

}  // namespace millrace::match
