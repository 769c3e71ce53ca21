#include "registry/compatibility.h"

#include <algorithm>
#include <utility>

namespace millrace::registry {

std::string_view to_text(ChangeKind kind) {
  constexpr std::string_view kWords[] = {"field-added",    "field-removed",    "field-renamed",   "type-changed",
                                         "required-added", "required-dropped", "value-added",     "value-removed",
                                         "tightened",      "loosened",         "default-changed", "number-changed",
                                         "label-changed",  "schema-removed",   "unclear"};
  return kWords[std::to_underlying(kind)];
}

bool Comparison::compatible() const { return std::ranges::none_of(changes, &Change::breaking); }

void write(json::Writer& out, const Comparison& comparison) {
  out.begin_object();
  out.member("compatible", comparison.compatible());
  out.key("changes");
  out.begin_array();
  for (const Change& change : comparison.changes) {
    out.begin_object();
    out.member("pointer", change.pointer);
    out.member("kind", to_text(change.kind));
    out.member("breaking", change.breaking);
    out.member("message", change.message);
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

}  // namespace millrace::registry
