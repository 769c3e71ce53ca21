#include "match/text_tables.h"

#include <algorithm>

namespace millrace::match {

PostingId& AffixTable::at(std::string_view affix) {
  const auto length = static_cast<std::uint32_t>(affix.size());
  const auto place = std::ranges::lower_bound(lengths_, length);
  if (place == lengths_.end() || *place != length) lengths_.insert(place, length);
  return table_.try_emplace(affix, Postings::kNone).first->second;
}

PostingId& InfixTable::Windows::at(std::uint64_t window) {
  if (table_.size() * 16 >= bits_.size() * 64) {
    bits_.assign(bits_.size() * 2, 0);
    --shift_;
    for (const auto& [known, list] : table_) set(known);
  }
  set(window);
  return table_.try_emplace(window, Postings::kNone).first->second;
}

PostingId& InfixTable::at(std::string_view literal) {
  // Names tend to differ at their end.
  const std::size_t width = std::min(kWidthMax, literal.size());
  const std::uint64_t window = load(literal, literal.size() - width, width);
  auto& windows = by_width_[width - 1];
  if (!windows) windows = std::make_unique<Windows>();
  return windows->at(window);
}

}  // namespace millrace::match
