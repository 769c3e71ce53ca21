#include "match/wildcard_automaton.h"

#include <algorithm>
#include <bit>

namespace millrace::match {
namespace {

// Of one part: what of it comes first is left to the check that every candidate has to pass.
constexpr std::size_t kPiecesOfPartMax = 4;

// Edges among which one is sooner sought than looked up.
constexpr std::uint32_t kFewEdges = 64;

// A piece that begins in one of so many stretches of a text is noted by one bit.
constexpr int kStretchBits = 6;

}  // namespace

// Long parts are cut from their end, since names tend to differ there.
template <class Visit>
void WildcardAutomaton::visit_pieces(const Wildcard& wildcard, Visit visit) {
  const auto& parts = wildcard.parts;
  if (!parts.front().empty()) visit(Cut{parts.front(), Place::start});
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    std::string_view part = parts[i];
    constexpr std::size_t kBytesMax = kPiecesOfPartMax * InfixTable::kWidthMax;
    if (part.size() > kBytesMax) part.remove_prefix(part.size() - kBytesMax);
    while (!part.empty()) {
      const std::size_t width = (part.size() - 1) % InfixTable::kWidthMax + 1;
      visit(Cut{part.substr(0, width), Place::inside});
      part.remove_prefix(width);
    }
  }
  if (parts.size() > 1 && !parts.back().empty()) visit(Cut{parts.back(), Place::end});
}

std::size_t WildcardAutomaton::pieces_of(const Wildcard& wildcard) {
  std::size_t count = 0;
  visit_pieces(wildcard, [&](const Cut&) { ++count; });
  return count;
}

PieceId WildcardAutomaton::piece_number(const Cut& piece) {
  PieceId& number = piece.place == Place::start ? starts_.at(piece.literal)
                    : piece.place == Place::end ? ends_.at(piece.literal)
                                                : insides_.at(piece.literal);
  if (number == Postings::kNone) {
    number = static_cast<PieceId>(pieces_.size());
    const bool inside = piece.place == Place::inside;
    pieces_.push_back({inside ? InfixTable::load(piece.literal, 0, piece.literal.size()) : 0,
                       static_cast<std::uint32_t>(piece.literal.size()), piece.place});
  }
  return number;
}

PostingId& WildcardAutomaton::at(const Wildcard& wildcard) {
  if (ends_at_.empty()) ends_at_.emplace_back();
  std::uint32_t node = 0;
  visit_pieces(wildcard, [&](const Cut& piece) {
    const auto next = static_cast<std::uint32_t>(ends_at_.size());
    const auto [entry, is_new] = nodes_.try_emplace({node, piece_number(piece)}, next);
    if (is_new) ends_at_.emplace_back();
    node = entry->second;
  });
  for (std::size_t i = 1; i + 1 < wildcard.parts.size(); ++i) {
    if (wildcard.parts[i].size() > InfixTable::kWidthMax) ends_at_[node].evidence = Evidence::hint;
  }
  return ends_at_[node].posting;
}

void WildcardAutomaton::build() {
  struct Edge {
    std::uint32_t parent;
    PieceId piece;
    std::uint32_t child;
  };
  std::vector<Edge> known;
  known.reserve(nodes_.size());
  for (const auto& [from, child] : nodes_) known.push_back({from.first, from.second, child});
  nodes_ = {};
  std::ranges::sort(known, {}, [](const Edge& edge) { return std::pair(edge.parent, edge.piece); });

  // Nodes get new numbers, level by level, so that a node's children follow each other.
  std::vector<std::uint32_t> old = {0};
  begins_.reserve(known.size() + 2);
  edges_.reserve(known.size());
  for (std::size_t node = 0; node < old.size(); ++node) {
    begins_.push_back(static_cast<std::uint32_t>(edges_.size()));
    for (const Edge& edge : std::ranges::equal_range(known, old[node], {}, &Edge::parent)) {
      edges_.push_back(edge.piece);
      old.push_back(edge.child);
    }
    if (edges_.size() - begins_[node] <= kFewEdges) continue;
    for (auto edge = begins_[node]; edge < edges_.size(); ++edge) {
      wide_edges_.emplace(std::pair(static_cast<std::uint32_t>(node), edges_[edge]), edge);
    }
  }
  begins_.push_back(static_cast<std::uint32_t>(edges_.size()));
  std::vector<End> ends;
  ends.reserve(old.size());
  for (const std::uint32_t node : old) ends.push_back(ends_at_[node]);
  ends_at_ = std::move(ends);
}

void WildcardAutomaton::note(const Lookup& lookup, PieceId piece, std::size_t start) {
  WildcardScratch& scratch = lookup.scratch;
  WildcardScratch::Seen& seen = scratch.seen[piece];
  if (seen.epoch != scratch.epoch) {
    seen = {scratch.epoch, 0};
    scratch.found.push_back(piece);
  }
  seen.places |= std::uint64_t{1} << (start >> lookup.shift);
}

WildcardAutomaton::Lookup WildcardAutomaton::look_for_pieces(std::string_view text, WildcardScratch& scratch) const {
  if (scratch.seen.size() < pieces_.size()) scratch.seen.resize(pieces_.size());
  scratch.found.clear();
  ++scratch.epoch;
  const Lookup lookup{text, std::max(0, static_cast<int>(std::bit_width(text.size())) - kStretchBits), scratch};
  starts_.find(text, [&](PieceId piece) { note(lookup, piece, 0); });
  ends_.find(text, [&](PieceId piece) { note(lookup, piece, text.size() - pieces_[piece].width); });
  insides_.find(text, [&](PieceId piece, std::size_t start) { note(lookup, piece, start); });
  return lookup;
}

std::size_t WildcardAutomaton::next_end(const Lookup& lookup, PieceId number, std::size_t from) const {
  const Piece& piece = pieces_[number];
  const std::size_t width = piece.width;
  // It is there, and a start is only ever looked for at the root.
  if (piece.place == Place::start) return width;
  const std::string_view text = lookup.text;
  if (piece.place == Place::end) return text.size() - width >= from ? text.size() : kNowhere;

  std::uint64_t places = lookup.scratch.seen[number].places >> (from >> lookup.shift) << (from >> lookup.shift);
  // The first stretch may have it before `from` only; the next one is sure to have it.
  for (; places != 0; places &= places - 1) {
    const std::size_t stretch = static_cast<std::size_t>(std::countr_zero(places));
    if (lookup.shift == 0) return stretch + width;
    const std::size_t last = std::min(text.size() - width, ((stretch + 1) << lookup.shift) - 1);
    for (std::size_t start = std::max(from, stretch << lookup.shift); start <= last; ++start) {
      if (InfixTable::load(text, start, width) == piece.window) return start + width;
    }
  }
  return kNowhere;
}

std::uint32_t WildcardAutomaton::edge_of(std::uint32_t node, PieceId piece) const {
  const std::uint32_t begin = begins_[node];
  const std::uint32_t end = begins_[node + 1];
  if (end - begin > kFewEdges) {
    const auto entry = wide_edges_.find({node, piece});
    return entry == wide_edges_.end() ? kNoEdge : entry->second;
  }
  const auto last = edges_.begin() + end;
  const auto edge = std::lower_bound(edges_.begin() + begin, last, piece);
  return edge != last && *edge == piece ? static_cast<std::uint32_t>(edge - edges_.begin()) : kNoEdge;
}

void WildcardAutomaton::follow_edge(const Lookup& lookup, std::uint32_t edge, std::size_t from) const {
  // The leftmost place leaves the most room for the rest, so it alone is followed.
  const std::size_t end = next_end(lookup, edges_[edge], from);
  if (end != kNowhere) lookup.scratch.visits.push_back({edge + 1, end});
}

void WildcardAutomaton::follow(const Lookup& lookup, WildcardScratch::Visit visit) const {
  const std::uint32_t begin = begins_[visit.node];
  const std::uint32_t end = begins_[visit.node + 1];
  const WildcardScratch& scratch = lookup.scratch;
  if (end - begin <= scratch.found.size()) {
    for (std::uint32_t edge = begin; edge < end; ++edge) {
      if (scratch.seen[edges_[edge]].epoch == scratch.epoch) follow_edge(lookup, edge, visit.from);
    }
    return;
  }
  for (const PieceId piece : scratch.found) {
    if (scratch.seen[piece].places >> (visit.from >> lookup.shift) == 0) continue;
    const std::uint32_t edge = edge_of(visit.node, piece);
    if (edge != kNoEdge) follow_edge(lookup, edge, visit.from);
  }
}

}  // namespace millrace::match
