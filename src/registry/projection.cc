#include "registry/projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/assert.h"
#include "base/ids.h"
#include "json/known_fields.h"
#include "json/object_reader.h"
#include "registry/bounds.h"
#include "registry/schema_version.h"

namespace millrace::registry {
namespace {

using json::Kind;
using json::Value;

constexpr std::string_view kPublicPrefix = "public.";
// The space in which the ids of twins are made. Chosen once at random; another one would make other ids for the
// events that are already out.
constexpr UuidBytes kTwinSpace = {0x1b, 0x7c, 0x5e, 0x0d, 0x8a, 0x42, 0x4f, 0x93,
                                  0xb6, 0x1e, 0x53, 0xd0, 0x7f, 0x2a, 0x94, 0xc8};

// The listed paths as a tree, so that each object is walked once.
struct Allowed {
  bool whole = false;
  std::map<std::string, Allowed, std::less<>> below;
};

Allowed tree_of(const std::vector<std::string>& fields) {
  Allowed root;
  for (std::string_view path : fields) {
    Allowed* at = &root;
    while (true) {
      const std::size_t dot = path.find('.');
      at = &at->below[std::string(path.substr(0, dot))];
      if (dot == path.npos) break;
      path.remove_prefix(dot + 1);
    }
    at->whole = true;
  }
  return root;
}

bool can_project(Value value) { return value.is(Kind::object) || value.is(Kind::array); }

// Writes what is allowed of `value`. REQUIRES: can_project(value).
void write_allowed(json::Writer& out, Value value, const Allowed& allowed) {
  if (value.is(Kind::array)) {
    out.begin_array();
    for (const Value element : value.elements()) {
      if (can_project(element)) write_allowed(out, element, allowed);
    }
    out.end_array();
    return;
  }
  out.begin_object();
  for (const auto& [key, member] : value.members()) {
    const std::string name = key.get_string();
    const auto found = allowed.below.find(name);
    if (found == allowed.below.end()) continue;
    if (found->second.whole) {
      out.member(name, member);
    } else if (can_project(member)) {
      out.key(name);
      write_allowed(out, member, found->second);
    }
  }
  out.end_object();
}

// Why this is no path of an allowlist; empty if it is one.
std::string_view path_problem(std::string_view path) {
  if (path.empty() || path.front() == '.' || path.back() == '.' || path.find("..") != path.npos) {
    return "is no path of field names joined by dots";
  }
  if (path.find('*') != path.npos) return "has a wildcard; fields are listed one by one";
  return {};
}

// S2's envelope has the version as an integer: the MAJOR.
std::uint32_t public_schema_version(std::string_view text) {
  return parse_event_schema_version(text).value_or(SchemaVersion{}).major;
}

}  // namespace

std::string public_type(std::string_view event_type) { return std::string(kPublicPrefix).append(event_type); }

bool is_public_type(std::string_view event_type) { return event_type.starts_with(kPublicPrefix); }

Result<Allowlist> parse_allowlist(std::string_view event_type, Value body) {
  if (is_public_type(event_type)) {
    return fail(Errc::invalid, "is public already; name the internal type", "eventType");
  }
  if (event_type.empty() || event_type.size() > kCodeBytesMax) {
    return fail(Errc::invalid, fmt::format("must have 1 to {} bytes", kCodeBytesMax), "eventType");
  }
  const auto in = json::ObjectReader::open(body);
  if (!in) return std::unexpected(in.error());
  const auto known = json::refuse_unknown(*in, "an allowlist",
                                          {"eventType", "publicType", "fields", "version", "createdAt", "updatedAt"});
  if (!known) return std::unexpected(known.error());
  auto fields = in->optional_strings("fields", kAllowedFieldsMax, kFieldPathBytesMax);
  if (!fields) return std::unexpected(fields.error());
  if (!*fields) return fail(Errc::invalid, "is required: the fields that may be seen outside", "fields");
  Allowlist list{std::string(event_type), {}};
  for (std::size_t i = 0; i < (*fields)->size(); ++i) {
    std::string& path = (**fields)[i];
    const std::string place = json::element_path("fields", i);
    const std::string_view problem = path_problem(path);
    if (!problem.empty()) return fail(Errc::invalid, fmt::format("\"{}\" {}", path, problem), place);
    if (std::ranges::find(list.fields, path) == list.fields.end()) list.fields.push_back(std::move(path));
  }
  return list;
}

void write_members(json::Writer& out, const Allowlist& allowlist) {
  out.member("eventType", allowlist.event_type);
  out.member("publicType", public_type(allowlist.event_type));
  out.key("fields");
  out.begin_array();
  for (const std::string& field : allowlist.fields) out.value(field);
  out.end_array();
}

std::string project(Value data, const std::vector<std::string>& fields) {
  if (!data.is(Kind::object)) return "{}";
  std::string out;
  json::Writer writer(out);
  write_allowed(writer, data, tree_of(fields));
  return out;
}

Result<PublicEvent> make_public(const InternalEvent& event, const Allowlist& allowlist) {
  MR_ASSERT(event.event_type == allowlist.event_type, "an allowlist is for one type");
  if (!event.workspace_id || event.workspace_id->empty()) {
    return fail(Errc::invalid, "a public event needs a workspace", "workspace_id");
  }
  PublicEvent twin{make_uuid_v5(kTwinSpace, event.event_id), public_type(event.event_type), {}};
  json::Writer out(twin.envelope);
  out.begin_object();
  out.member("event_id", twin.event_id);
  out.member("event_type", twin.event_type);
  out.member("schema_version", public_schema_version(event.schema_version));
  out.member("occurred_at", event.occurred_at);
  out.member("workspace_id", *event.workspace_id);
  out.raw_member("data", project(event.data, allowlist.fields));
  out.end_object();
  return twin;
}

}  // namespace millrace::registry
