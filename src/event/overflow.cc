#include "event/overflow.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "base/digest.h"
#include "event/form_writer.h"
#include "event/rest.h"
#include "json/parse.h"
#include "json/writer.h"

namespace millrace::event {
namespace {

using json::Kind;
using json::Member;
using json::Value;

constexpr std::string_view kMember = "_s3Overflow";
constexpr std::string_view kWhole = "data";
constexpr std::string_view kWholeBytes = "data_base64";

constexpr std::string_view kKeyBegin = "events/";
constexpr std::string_view kKeyEnd = "-payload.json";
// Signs that no part of a key has otherwise.
constexpr char kSourceSign = '~';
constexpr char kDigestSign = '+';
constexpr char kShortSign = '=';
// Together with the rest of a key below the 1,024 bytes that S3 takes.
constexpr std::size_t kRequestBytesMax = 200;
constexpr std::size_t kNameBytesMax = 600;
constexpr std::size_t kDigestDigits = 64;

// A part of a key that is one folder or file name whatever the sender wrote.
std::string key_segment(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.' || c == ':';
  };
  const bool dots = text.find_first_not_of('.') == text.npos;  // "." and ".." are no names
  std::string segment;
  for (const char c : text) {
    if (plain(c) && !dots) {
      segment.push_back(c);
    } else {
      fmt::format_to(std::back_inserter(segment), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return segment;
}

std::optional<std::string> segment_text(std::string_view segment) {
  std::string text;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    if (segment[i] != '%') {
      text.push_back(segment[i]);
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = segment.substr(i + 1, 2);
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc{} || digits.size() != 2 || stop != digits.data() + 2) return std::nullopt;
    text.push_back(static_cast<char>(value));
    i += 2;
  }
  return text;
}

// A segment that is too long for a key is known by its digest.
std::string bounded(std::string segment, std::size_t bytes_max) {
  if (segment.size() <= bytes_max) return segment;
  return kShortSign + to_hex(sha256(segment));
}

std::string key_of(std::string_view request, std::string_view event_id, const KeyMarks& marks) {
  std::string name = key_segment(event_id);
  if (!marks.source.empty()) name += kSourceSign + key_segment(marks.source);
  name = bounded(std::move(name), kNameBytesMax);
  if (!marks.digest.empty()) name += kDigestSign + std::string(marks.digest);
  return fmt::format("{}{}/{}{}", kKeyBegin, bounded(key_segment(request), kRequestBytesMax), name, kKeyEnd);
}

// What key_of() calls an event, without the mark of a digest; "" for a key that it did not make.
std::string_view name_in_key(std::string_view key) {
  if (!key.starts_with(kKeyBegin) || !key.ends_with(kKeyEnd)) return {};
  key.remove_prefix(kKeyBegin.size());
  key.remove_suffix(std::min(key.size(), kKeyEnd.size()));
  const std::size_t slash = key.find('/');
  if (slash == key.npos || key.find('/', slash + 1) != key.npos) return {};
  const std::string_view name = key.substr(slash + 1);
  return name.substr(0, name.find(kDigestSign));
}

// The request that the event is about, by its data; else its entity.
std::string request_of(const Header& header, std::optional<Value> data) {
  const auto request = data ? data->find("requestId") : std::nullopt;
  if (request && request->is(Kind::string)) {
    std::string id = request->get_string();
    if (!id.empty()) return id;
  }
  return header.entity_id;
}

void write_reference(json::Writer& out, const BlobReference& blob) {
  out.key(kMember);
  out.begin_object();
  out.member("bucket", blob.bucket);
  out.member("key", blob.key);
  out.end_object();
}

// The members of `rest`, with `name` and `json` in the place of its data.
std::string members_with(const OpenRest& rest, std::string_view name, std::string_view json) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  for (const auto [key, value] : rest.members()) {
    if (key.equals(kWhole) || key.equals(kWholeBytes)) {
      out.raw_member(name, json);
    } else {
      out.member(key.get_string(), value);
    }
  }
  out.end_object();
  return text.substr(1, text.size() - 2);
}

std::string object_of(std::span<const Member> members, const BlobReference* blob) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  for (const auto& [key, value] : members) out.member(key.get_string(), value);
  if (blob != nullptr) write_reference(out, *blob);
  out.end_object();
  return text;
}

// What is no larger than the reference that would stand for it gains nothing by leaving.
bool is_large(Value value, const BlobReference& blob) { return value.raw().size() > object_of({}, &blob).size(); }

bool is_listed(const OverflowSettings& settings, Value key) {
  return std::ranges::any_of(settings.fields, [&](const std::string& field) { return key.equals(field); });
}

std::string with_notes(const OpenRest& rest, std::string_view data) {
  Notes notes = rest.notes();
  notes.overflow = true;
  return join_rest(notes, members_with(rest, kWhole, data));
}

// The listed members of the data leave it, those that are large.
std::optional<Overflow> split_members(const OpenRest& rest, const BlobReference& blob,
                                      const OverflowSettings& settings) {
  const auto data = rest.find(kWhole);
  if (!data || !data->is(Kind::object)) return std::nullopt;
  std::vector<Member> moved;
  std::vector<Member> kept;
  for (const Member member : data->members()) {
    const bool listed = is_listed(settings, member.key) && !member.key.equals(kWhole);
    const bool moves = listed && is_large(member.value, blob);
    // What a sender called so must not look like ours.
    if (!moves && member.key.equals(kMember)) return std::nullopt;
    (moves ? moved : kept).push_back(member);
  }
  if (moved.empty()) return std::nullopt;
  return Overflow{with_notes(rest, object_of(kept, &blob)), blob, object_of(moved, nullptr)};
}

std::optional<Overflow> split_whole(const OpenRest& rest, const BlobReference& blob) {
  for (const Member member : rest.members()) {
    if (!member.key.equals(kWhole) && !member.key.equals(kWholeBytes)) continue;
    if (!is_large(member.value, blob)) return std::nullopt;
    return Overflow{with_notes(rest, object_of({}, &blob)), blob, object_of(std::span(&member, 1), nullptr)};
  }
  return std::nullopt;
}

// The data of the event as it was before split_members().
std::string merged(Value reduced, Value payload) {
  std::vector<Member> members;
  for (const Member member : reduced.members()) {
    if (!member.key.equals(kMember)) members.push_back(member);
  }
  for (const Member member : payload.members()) members.push_back(member);
  return object_of(members, nullptr);
}

}  // namespace

std::size_t size_of(const Header& header, std::string_view rest) {
  std::size_t size = rest.size();
  for (const std::string* text :
       {&header.event_id, &header.type, &header.source, &header.subject, &header.bus, &header.correlation_id,
        &header.causation_id, &header.message_group, &header.app, &header.entity_type, &header.entity_id}) {
    size += text->size();
  }
  for (const ContextPair& pair : header.context) size += pair.key.size() + pair.value.size();
  return size;
}

std::optional<Overflow> split_overflow(const Header& header, std::string_view text, const OverflowSettings& settings,
                                       const KeyMarks& marks) {
  if (size_of(header, text) <= settings.threshold_bytes) return std::nullopt;
  const OpenRest rest(text);
  if (rest.notes().overflow) return std::nullopt;
  const BlobReference blob{settings.bucket, key_of(request_of(header, rest.find(kWhole)), header.event_id, marks)};
  std::optional<Overflow> split = split_members(rest, blob, settings);
  if (split && size_of(header, split->rest) <= settings.threshold_bytes) return split;
  if (std::ranges::find(settings.fields, kWhole) == settings.fields.end()) return split;
  std::optional<Overflow> whole = split_whole(rest, blob);
  return whole ? std::move(whole) : std::move(split);
}

std::optional<KeyOwner> owner_of_key(std::string_view key) {
  const std::string_view name = name_in_key(key);
  if (name.empty() || name.starts_with(kShortSign)) return std::nullopt;
  const std::size_t sign = name.find(kSourceSign);
  auto event_id = segment_text(name.substr(0, sign));
  if (!event_id) return std::nullopt;
  KeyOwner owner{.event_id = *std::move(event_id), .source = std::nullopt};
  if (sign != name.npos) {
    owner.source = segment_text(name.substr(sign + 1));
    if (!owner.source) return std::nullopt;
  }
  return owner;
}

bool holds_digest_of_owner(std::string_view key) {
  const std::string_view name = name_in_key(key);
  return name.starts_with(kShortSign) && name.size() == 1 + kDigestDigits &&
         name.find_first_not_of("0123456789abcdef", 1) == name.npos;
}

std::optional<BlobReference> overflow_of(std::string_view text) {
  if (!split_rest(text).notes.overflow) return std::nullopt;
  const OpenRest rest(text);
  const auto data = rest.find(kWhole);
  const auto reference = data ? data->find(kMember) : std::nullopt;
  const auto bucket = reference ? reference->find("bucket") : std::nullopt;
  const auto key = reference ? reference->find("key") : std::nullopt;
  if (!bucket || !key) return std::nullopt;
  return BlobReference{bucket->get_string(), key->get_string()};
}

Result<std::string> resolve_overflow(std::string_view text, std::string_view payload) {
  const OpenRest rest(text);
  const auto document = json::parse(payload, {.depth = limits::kJsonDepthMax + 2});
  const auto reduced = rest.find(kWhole);
  if (!document || !document->root().is(Kind::object) || !reduced || !reduced->is(Kind::object)) {
    return fail(Errc::invalid, "the payload in the blob store is not the one of this event");
  }
  Notes notes = rest.notes();
  notes.overflow = false;
  const Value root = document->root();
  for (const std::string_view name : {kWhole, kWholeBytes}) {
    if (const auto whole = root.find(name)) return join_rest(notes, members_with(rest, name, whole->raw()));
  }
  return join_rest(notes, members_with(rest, kWhole, merged(*reduced, root)));
}

}  // namespace millrace::event
