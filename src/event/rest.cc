#include "event/rest.h"

#include <array>
#include <optional>

#include "base/bytes.h"
#include "json/parse.h"
#include "json/writer.h"

namespace millrace::event {
namespace {

constexpr std::string_view kOpening = "{\"_\":";
constexpr std::array<std::string_view, 4> kForms = {"native", "snake", "keyed", "cloudevents"};

bool flag(json::Value notes, std::string_view name) { return notes.find(name).has_value(); }

Notes read_notes(std::string_view text) {
  const auto document = json::parse(text);
  if (!document) throw CorruptRecord("the notes of a stored event are not JSON");
  const json::Value root = document->root();
  Notes notes;
  if (const auto form = root.find("form")) {
    for (std::size_t i = 0; i < kForms.size(); ++i) {
      if (form->equals(kForms[i])) notes.envelope = static_cast<Envelope>(i);
    }
  }
  if (const auto time = root.find("time")) notes.time = time->get_string();
  notes.workspace = flag(root, "workspace");
  notes.context = flag(root, "context");
  notes.overflow = flag(root, "overflow");
  return notes;
}

void write_notes(json::Writer& out, const Notes& notes) {
  out.begin_object();
  if (notes.envelope != Envelope::native) out.member("form", name_of(notes.envelope));
  if (!notes.time.empty()) out.member("time", notes.time);
  if (notes.workspace) out.member("workspace", true);
  if (notes.context) out.member("context", true);
  if (notes.overflow) out.member("overflow", true);
  out.end_object();
}

}  // namespace

std::string_view name_of(Envelope envelope) { return kForms[static_cast<std::size_t>(envelope)]; }

Rest split_rest(std::string_view text) {
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') throw CorruptRecord("a stored event is no object");
  std::string_view members = text.substr(1, text.size() - 2);
  if (!text.starts_with(kOpening)) return {{}, members};
  // No note contains a brace: they are flags, names of ours, and a time that was understood.
  const std::size_t end = text.find('}');
  if (end + 1 == text.size()) throw CorruptRecord("the notes of a stored event do not end");
  const std::string_view notes = text.substr(kOpening.size(), end + 1 - kOpening.size());
  members.remove_prefix(end);
  if (members.starts_with(',')) members.remove_prefix(1);
  return {read_notes(notes), members};
}

std::string join_rest(const Notes& notes, std::string_view members) {
  std::string text;
  text.reserve(members.size() + 80);
  if (notes == Notes{}) {
    text += '{';
  } else {
    text += kOpening;
    json::Writer writer(text);
    write_notes(writer, notes);
    if (!members.empty()) text += ',';
  }
  text += members;
  text += '}';
  return text;
}

}  // namespace millrace::event
