// The wildcards of one field that a text may match, among many, in one pass over the text and one walk over an
// automaton: a tree in which wildcards that begin with the same pieces share their nodes. It is walked as it is and
// never made deterministic, so it has no states but those it was built with. Built once, then read by any thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "match/condition.h"
#include "match/postings.h"
#include "match/text_tables.h"

namespace millrace::match {

// A literal at a place: where a text begins, anywhere, or where it ends. Inner ones have at most eight bytes; longer
// parts are several pieces with nothing between them, of which the automaton asks no more than their order.
using PieceId = std::uint32_t;

// What one text is looked up with; buffers of one thread, for any automaton. Grows to the largest automaton's pieces
// and to the nodes that wait in one walk.
struct WildcardScratch {
  struct Seen {
    std::uint64_t epoch = 0;  // of the text that the rest belongs to
    std::uint64_t places = 0;
  };
  struct Visit {
    std::uint32_t node;
    std::size_t from;  // where in the text the rest may begin
  };

  std::uint64_t epoch = 0;     // counts the texts
  std::vector<Seen> seen;      // by piece
  std::vector<PieceId> found;  // those of this text, each once
  std::vector<Visit> visits;
};

class WildcardAutomaton {
 public:
  // How many pieces a wildcard has; with one, a table of that piece does as well.
  static std::size_t pieces_of(const Wildcard& wildcard);

  // REQUIRES: a star, and pieces_of() > 0; the wildcard outlives this.
  PostingId& at(const Wildcard& wildcard);
  // Call once, after the last at() and before the first find().
  void build();

  // Calls found(PostingId, Evidence), once each, for every wildcard that matches, and as a hint for some whose parts of
  // more than eight bytes are there in pieces only. Looks at every byte of the text eight times at most, then at every
  // node at most once, and there for the next piece in two 64ths of the text at most.
  template <class Found>
  void find(std::string_view text, WildcardScratch& scratch, Found found) const;

 private:
  enum class Place : std::uint8_t { start, inside, end };
  // A piece as a wildcard has it, and as it is kept.
  struct Cut {
    std::string_view literal;
    Place place;
  };
  struct Piece {
    std::uint64_t window;  // of an inner one, its bytes
    std::uint32_t width;
    Place place;
  };
  // While a text is looked up.
  struct Lookup {
    std::string_view text;
    int shift;  // a bit of Seen::places stands for 2^shift bytes in which a piece begins
    WildcardScratch& scratch;
  };
  static constexpr std::size_t kNowhere = std::string_view::npos;
  static constexpr std::uint32_t kNoEdge = 0xffffffff;

  struct End {
    PostingId posting = Postings::kNone;
    Evidence evidence = Evidence::proof;
  };

  template <class Visit>
  static void visit_pieces(const Wildcard& wildcard, Visit visit);
  PieceId piece_number(const Cut& piece);

  // Notes all pieces that the text has.
  Lookup look_for_pieces(std::string_view text, WildcardScratch& scratch) const;
  static void note(const Lookup& lookup, PieceId piece, std::size_t start);
  // Adds the nodes that come after this visit's.
  void follow(const Lookup& lookup, WildcardScratch::Visit visit) const;
  // The edge of a node with this piece, or kNoEdge.
  std::uint32_t edge_of(std::uint32_t node, PieceId piece) const;
  void follow_edge(const Lookup& lookup, std::uint32_t edge, std::size_t from) const;
  // Where the first `piece` that begins at `from` or later ends, or kNowhere.
  std::size_t next_end(const Lookup& lookup, PieceId piece, std::size_t from) const;

  std::vector<Piece> pieces_;
  // From texts to numbers of pieces.
  AffixTable starts_{Shape::prefix};
  AffixTable ends_{Shape::suffix};
  InfixTable insides_;

  // The tree. Node 0 is the root; an edge is known by its number, and edge e leads to node e + 1. Edges of one node
  // stand together, in the order of their pieces. Before build(), nodes are in the order in which they came.
  std::vector<PieceId> edges_;
  std::vector<std::uint32_t> begins_;  // of a node's edges
  std::vector<End> ends_at_;           // of wildcards that end at a node
  // Edges of nodes with many, by node and piece; of others they are sought among the node's.
  absl::flat_hash_map<std::pair<std::uint32_t, PieceId>, std::uint32_t> wide_edges_;
  absl::flat_hash_map<std::pair<std::uint32_t, PieceId>, std::uint32_t> nodes_;  // before build(): parent, piece
};

template <class Found>
void WildcardAutomaton::find(std::string_view text, WildcardScratch& scratch, Found found) const {
  const Lookup lookup = look_for_pieces(text, scratch);
  scratch.visits.assign(1, {0, 0});
  while (!scratch.visits.empty()) {
    const WildcardScratch::Visit visit = scratch.visits.back();
    scratch.visits.pop_back();
    const End& end = ends_at_[visit.node];
    if (end.posting != Postings::kNone) found(end.posting, end.evidence);
    follow(lookup, visit);
  }
}

}  // namespace millrace::match
