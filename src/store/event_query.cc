#include "store/event_query.h"

#include <algorithm>
#include <utility>

namespace millrace::store {
namespace {

constexpr std::uint32_t kLastCodePoint = 0x10ffff;

// The last code point of a text, which is taken off it.
std::uint32_t pop_code_point(std::string& text) {
  std::size_t start = text.size() - 1;
  while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xc0) == 0x80) --start;
  const auto lead = static_cast<unsigned char>(text[start]);
  std::uint32_t point = lead < 0x80 ? lead : lead < 0xe0 ? lead & 0x1fu : lead < 0xf0 ? lead & 0x0fu : lead & 0x07u;
  for (std::size_t i = start + 1; i < text.size(); ++i) {
    point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
  }
  text.resize(start);
  return point;
}

void push_code_point(std::string& text, std::uint32_t point) {
  const auto push = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  const auto rest = [&](int shift) { push(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) {
    push(point);
  } else if (point < 0x800) {
    push(0xc0 | point >> 6);
    rest(0);
  } else if (point < 0x10000) {
    push(0xe0 | point >> 12);
    rest(6);
    rest(0);
  } else {
    push(0xf0 | point >> 18);
    rest(12);
    rest(6);
    rest(0);
  }
}

// The first text after all that begin with `prefix`; nullopt if there is none. By code points, whose order is
// that of the bytes, so that it is a text as well, which PostgreSQL wants.
std::optional<std::string> after_texts(std::string prefix) {
  while (!prefix.empty()) {
    const std::uint32_t last = pop_code_point(prefix);
    if (last == kLastCodePoint) continue;
    push_code_point(prefix, last == 0xd7ff ? 0xe000 : last + 1);
    return prefix;
  }
  return std::nullopt;
}

bool tighter_from(const SortBound& a, const SortBound& b) {
  return a.text != b.text ? a.text > b.text : !a.inclusive && b.inclusive;
}
bool tighter_to(const SortBound& a, const SortBound& b) {
  return a.text != b.text ? a.text < b.text : !a.inclusive && b.inclusive;
}

bool holds(const std::optional<std::string>& wanted, const std::string& text) { return !wanted || *wanted == text; }

}  // namespace

bool SortRange::contains(std::string_view sort) const {
  if (from && (from->inclusive ? sort < from->text : sort <= from->text)) return false;
  return !to || (to->inclusive ? sort <= to->text : sort < to->text);
}

std::string_view ordering_part(event::Index index, std::string_view sort) {
  return index == event::Index::table ? sort.substr(0, sort.find("#EVENT#")) : sort;
}

SortRange starting_with(std::string_view prefix) {
  SortRange range;
  if (prefix.empty()) return range;
  range.from = SortBound{std::string(prefix), true};
  if (auto end = after_texts(std::string(prefix))) range.to = SortBound{std::move(*end), false};
  return range;
}

SortRange narrowed(SortRange one, const SortRange& other) {
  if (other.from && (!one.from || tighter_from(*other.from, *one.from))) one.from = other.from;
  if (other.to && (!one.to || tighter_to(*other.to, *one.to))) one.to = other.to;
  return one;
}

bool EventListing::matches(const event::Record& record) const {
  const event::Header& header = record.header;
  if (horizon.hides(record) || (from && header.time < *from) || (to && header.time >= *to)) return false;
  return holds(type, header.type) && holds(source, header.source) && holds(subject, header.subject) &&
         holds(correlation_id, header.correlation_id) && std::ranges::all_of(context, [&](const auto& pair) {
           return std::ranges::find(header.context, pair) != header.context.end();
         });
}

}  // namespace millrace::store
