#include "json/writer.h"

#include <cmath>

#include "base/assert.h"
#include "json/compact.h"

namespace millrace::json {

void Writer::begin(char bracket, unsigned is_object) {
  MR_ASSERT(depth_ < 64, "a level is a bit of objects_");
  separate();
  out_.push_back(bracket);
  objects_ = objects_ << 1 | is_object;
  ++depth_;
  written_ = false;
}

void Writer::end(char bracket, unsigned is_object) {
  MR_ASSERT(depth_ > 0 && (objects_ & 1) == is_object && !keyed_, "the innermost level is another, or lacks a value");
  out_.push_back(bracket);
  objects_ >>= 1;
  --depth_;
  written_ = true;
}

void Writer::separate() {
  MR_ASSERT(in_object() == keyed_, "a value in an object needs a key");
  MR_ASSERT(depth_ > 0 || !written_, "a JSON text is one value");
  if (written_) out_.push_back(',');
  written_ = true;
  keyed_ = false;
}

void Writer::key(std::string_view key) {
  MR_ASSERT(in_object() && !keyed_, "a key stands in an object, after the value of the one before");
  if (written_) out_.push_back(',');
  append_string(out_, key);
  out_.push_back(':');
  written_ = false;  // the value follows without a comma
  keyed_ = true;
}

void Writer::string(std::string_view text) {
  separate();
  append_string(out_, text);
}

void Writer::number(double number) {
  if (!std::isfinite(number)) return null();
  char digits[32];
  const auto [stop, error] = std::to_chars(digits, digits + sizeof digits, number);
  separate();
  out_.append(digits, stop);
}

void Writer::boolean(bool truth) {
  separate();
  out_.append(truth ? "true" : "false");
}

void Writer::null() {
  separate();
  out_.append("null");
}

void Writer::raw(std::string_view json) {
  separate();
  out_.append(json);
}

void Writer::compact(Value value) {
  separate();
  append_compact(out_, value);
}

void Writer::time(Time time) {
  separate();
  out_.push_back('"');
  append_time(out_, time);
  out_.push_back('"');
}

}  // namespace millrace::json
