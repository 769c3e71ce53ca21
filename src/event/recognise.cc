#include "event/recognise.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "event/codec_cloudevents.h"
#include "event/codec_keyed.h"
#include "event/codec_native.h"
#include "event/codec_snake.h"

namespace millrace::event {
namespace {

using json::Kind;
using json::Value;

struct Mark {
  std::string_view field;
  Envelope envelope;
};

constexpr std::array<Mark, 3> kTypes = {
    {{"event_type", Envelope::snake}, {"eventType", Envelope::keyed}, {"type", Envelope::native}}};

// Where no type is named: fields of one form alone.
constexpr std::array<Mark, 9> kHints = {{{"event_id", Envelope::snake},
                                         {"schema_version", Envelope::snake},
                                         {"occurred_at", Envelope::snake},
                                         {"aggregate_id", Envelope::snake},
                                         {"organization_id", Envelope::snake},
                                         {"workspace_id", Envelope::snake},
                                         {"properties", Envelope::keyed},
                                         {"timestamp", Envelope::keyed},
                                         {"PK", Envelope::keyed}}};

std::unexpected<Error> refuse(std::optional<std::size_t> element, std::string detail) {
  const std::string path = element ? fmt::format("[{}]", *element) : std::string();
  if (element) detail = fmt::format("\"{}\": {}", path, detail);
  return fail(Errc::invalid, std::move(detail), path);
}

// The members that decide, found in one walk over the object.
struct Seen {
  bool specversion = false;
  std::array<bool, kTypes.size()> types{};
};

Seen look(Value object) {
  Seen seen;
  for (const auto [key, value] : object.members()) {
    const std::size_t size = key.raw().size() - 2;
    if (size < 4) continue;
    if (key.equals("specversion")) seen.specversion = true;
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
      if (key.equals(kTypes[i].field)) seen.types[i] = true;
    }
  }
  return seen;
}

}  // namespace

Result<Envelope> recognise(Value value, std::optional<std::size_t> element) {
  if (!value.is(Kind::object)) {
    return refuse(element, fmt::format("an event must be an object, not {}", json::describe(value.kind())));
  }
  const Seen seen = look(value);
  if (seen.specversion) return Envelope::cloudevents;
  const auto first = std::ranges::find(seen.types, true);
  if (first != seen.types.end()) {
    const Mark& mark = kTypes[static_cast<std::size_t>(first - seen.types.begin())];
    const auto second = std::find(first + 1, seen.types.end(), true);
    if (second == seen.types.end()) return mark.envelope;
    const Mark& other = kTypes[static_cast<std::size_t>(second - seen.types.begin())];
    return refuse(element, fmt::format("\"{}\" and \"{}\" belong to different forms of an event: send one of them",
                                       mark.field, other.field));
  }
  for (const Mark& hint : kHints) {
    if (value.find(hint.field)) return hint.envelope;
  }
  auto refusal = refuse(element, "an event needs its type: \"type\", \"event_type\", or \"eventType\", by its form");
  refusal.error().field += element ? ".type" : "type";
  return refusal;
}

Result<Draft> decode(Value value, std::optional<std::size_t> element) {
  const Result<Envelope> envelope = recognise(value, element);
  if (!envelope) return std::unexpected(envelope.error());
  switch (*envelope) {
    case Envelope::native:
      return decode_native(value, element);
    case Envelope::snake:
      return decode_snake(value, element);
    case Envelope::keyed:
      return decode_keyed(value, element);
    case Envelope::cloudevents:
      return decode_cloudevent(value, element);
  }
  return refuse(element, "an event of no form");
}

}  // namespace millrace::event
