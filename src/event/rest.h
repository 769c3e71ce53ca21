// The stored text beside a Header: one compact JSON object. Its members carry the names of the API, so an
// answer can repeat them byte for byte; what only the codecs need to know stands before them in one member
// "_", their notes. Pure.
#pragma once

#include <string>
#include <string_view>

#include "event/draft.h"

namespace millrace::event {

inline constexpr std::string_view kNotesMember = "_";

struct Notes {
  Envelope envelope = Envelope::native;  // the form in which the event was sent
  std::string time = {};                 // the sender's text, where it says more than Header::time, or otherwise
  bool workspace = false;                // the tenant was sent as workspace_id
  bool context = false;                  // `context` is among the members: pairs alone would not say it all
  bool overflow = false;                 // large fields are in the blob store, see overflow.h

  bool operator==(const Notes&) const = default;
};

// A rest taken apart. A view of its text.
struct Rest {
  Notes notes;
  std::string_view members;  // without braces: "\"data\":1,\"actor\":…", or empty
};

// Throws CorruptRecord for what join_rest() did not make.
Rest split_rest(std::string_view text);
// `members` as in Rest.
std::string join_rest(const Notes& notes, std::string_view members);

}  // namespace millrace::event
