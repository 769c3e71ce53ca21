#include "registry/json_schema/resources.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "json/parse.h"
#include "registry/json_schema/metaschemas.h"
#include "registry/json_schema/uri.h"

namespace millrace::registry::json_schema {
namespace {

using json::Kind;
using json::Member;
using json::Value;

// Members that references into unknown keywords may pass in all; keeps thousands of them from costing seconds.
constexpr std::size_t kWalkedMax = 20'000'000;

enum class Holds : std::uint8_t { schema, schema_or_list, list, map };
enum class In : std::uint8_t { both, draft07, draft202012 };

struct SchemaKeyword {
  std::string_view name;
  Holds holds;
  In in = In::both;
};

// Keywords with schemas in them. What stands below any other one is data.
constexpr auto kSchemaKeywords = std::to_array<SchemaKeyword>({
    {"additionalItems", Holds::schema, In::draft07},
    {"additionalProperties", Holds::schema},
    {"contains", Holds::schema},
    {"contentSchema", Holds::schema, In::draft202012},
    {"else", Holds::schema},
    {"if", Holds::schema},
    {"items", Holds::schema_or_list, In::draft07},
    {"items", Holds::schema, In::draft202012},
    {"not", Holds::schema},
    {"propertyNames", Holds::schema},
    {"then", Holds::schema},
    {"unevaluatedItems", Holds::schema, In::draft202012},
    {"unevaluatedProperties", Holds::schema, In::draft202012},
    {"allOf", Holds::list},
    {"anyOf", Holds::list},
    {"oneOf", Holds::list},
    {"prefixItems", Holds::list, In::draft202012},
    {"$defs", Holds::map, In::draft202012},
    {"definitions", Holds::map},
    {"dependencies", Holds::map},
    {"dependentSchemas", Holds::map, In::draft202012},
    {"patternProperties", Holds::map},
    {"properties", Holds::map},
});

const SchemaKeyword* find_keyword(Value key, Draft draft) {
  for (const SchemaKeyword& keyword : kSchemaKeywords) {
    if (keyword.in == In::draft07 && draft != Draft::draft07) continue;
    if (keyword.in == In::draft202012 && draft != Draft::draft202012) continue;
    if (key.equals(keyword.name)) return &keyword;
  }
  return nullptr;
}

bool is_schema(Value value) { return value.is(Kind::object) || value.is(Kind::boolean); }

std::optional<Value> child(Value value, std::string_view token) {
  if (value.is(Kind::object)) return value.find(token);
  if (!value.is(Kind::array)) return std::nullopt;
  std::size_t index = 0;
  const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc() || stop != token.data() + token.size() || index >= value.size()) return std::nullopt;
  auto element = value.elements().begin();
  for (; index > 0; --index) ++element;
  return *element;
}

std::unexpected<Error> unknown_place(std::string_view uri) {
  return fail(Errc::invalid, fmt::format("nothing stands at {}; check the reference's spelling", uri));
}

}  // namespace

Resources::Resources(std::shared_ptr<const Library> library, Dialect defaults)
    : library_(std::move(library)), defaults_(defaults) {}

std::string Resources::place(const Position& position, std::string_view keyword) const {
  std::string place;
  if (!in_root_document(position)) place = document_uris_[resource_of(position).document] + "#";
  place += position.pointer;
  if (!keyword.empty()) append_pointer_token(place, keyword);
  return place;
}

Result<const Position*> Resources::add_root(SharedDocument document, std::string_view uri) {
  MR_ASSERT(documents_.empty(), "the root is the first document");
  return add_document(std::move(document), std::string(split_fragment(uri).document));
}

Result<const Position*> Resources::add_document(SharedDocument document, const std::string& uri) {
  const Value root = document->root();
  const auto id = static_cast<std::uint32_t>(documents_.size());
  documents_.push_back(std::move(document));
  document_uris_.push_back(uri);
  auto dialect = dialect_of(root, defaults_, library_.get());
  if (!dialect) return std::unexpected(std::move(dialect.error()));

  const auto resource = static_cast<ResourceId>(resources_.size());
  resources_.push_back({uri, root, *dialect, id, ""});
  by_uri_.try_emplace(uri, resource);
  if (auto indexed = index(root, resource, ""); !indexed) return std::unexpected(std::move(indexed.error()));
  return by_value_.at(root.raw().data());
}

const Position& Resources::add_position(Value value, ResourceId resource, std::string pointer) {
  const std::string below = pointer.substr(resources_[resource].pointer.size());
  const Position& position = positions_.emplace_back(Position{value, resource, std::move(pointer)});
  by_value_.emplace(value.raw().data(), &position);
  by_pointer_.try_emplace({resource, below}, &position);
  return position;
}

Result<void> Resources::index(Value schema, ResourceId outer, std::string pointer) {
  // What is no schema is told by whoever compiles it.
  if (!schema.is(Kind::object)) {
    add_position(schema, outer, std::move(pointer));
    return {};
  }
  const auto resource = enter(schema, outer, pointer);
  if (!resource) return std::unexpected(resource.error());
  const Position& position = add_position(schema, *resource, pointer);
  if (auto named = name_anchors(schema, position); !named) return named;
  return index_children(schema, *resource, pointer);
}

Result<void> Resources::index_children(Value schema, ResourceId resource, const std::string& pointer) {
  const Draft draft = resources_[resource].dialect.draft;
  for (const Member member : schema.members()) {
    const SchemaKeyword* keyword = find_keyword(member.key, draft);
    if (keyword == nullptr) continue;
    const std::string below = pointer_with(pointer, keyword->name);
    const bool list = keyword->holds == Holds::list || keyword->holds == Holds::schema_or_list;
    const bool single = keyword->holds == Holds::schema || keyword->holds == Holds::schema_or_list;
    Result<void> indexed;
    if (single && is_schema(member.value)) {
      indexed = index(member.value, resource, below);
    } else if (list && member.value.is(Kind::array)) {
      std::size_t i = 0;
      for (const Value element : member.value.elements()) {
        indexed = index(element, resource, pointer_with(below, std::to_string(i++)));
        if (!indexed) break;
      }
    } else if (keyword->holds == Holds::map && member.value.is(Kind::object)) {
      for (const Member entry : member.value.members()) {
        if (!is_schema(entry.value)) continue;
        indexed = index(entry.value, resource, pointer_with(below, entry.key.get_string()));
        if (!indexed) break;
      }
    }
    if (!indexed) return indexed;
  }
  return {};
}

// The resource that `schema` belongs to: a new one if it has an $id that says so.
Result<ResourceId> Resources::enter(Value schema, ResourceId outer, const std::string& pointer) {
  const auto id = schema.find("$id");
  if (!id || !id->is(Kind::string)) return outer;
  const Resource& around = resources_[outer];
  // Beside a $ref, draft-07 gives no keyword a meaning.
  if (around.dialect.draft == Draft::draft07 && schema.find("$ref")) return outer;
  const std::string written = id->get_string();
  if (written.starts_with('#')) return outer;

  const std::string resolved = resolve_uri(around.uri, written);
  const std::string uri(split_fragment(resolved).document);
  const bool is_document = around.root.raw().data() == schema.raw().data();
  if (is_document) {
    by_uri_.try_emplace(uri, outer);
    resources_[outer].uri = uri;
    return outer;
  }
  auto dialect = dialect_of(schema, around.dialect, library_.get());
  if (!dialect) return fail(Errc::invalid, dialect.error().detail, pointer + dialect.error().field);
  const auto made = static_cast<ResourceId>(resources_.size());
  const auto [known, added] = by_uri_.try_emplace(uri, made);
  if (!added && resources_[known->second].document == around.document) {
    return fail(Errc::invalid, fmt::format("the $id {} is used twice", uri), pointer_with(pointer, "$id"));
  }
  resources_.push_back({uri, schema, *dialect, around.document, pointer});
  return made;
}

Result<void> Resources::name_anchors(Value schema, const Position& position) {
  const Draft draft = resource_of(position).dialect.draft;
  if (draft == Draft::draft07) {
    const auto id = schema.find("$id");
    if (!id || !id->is(Kind::string) || schema.find("$ref")) return {};
    const std::string written = id->get_string();
    const std::string_view fragment = split_fragment(written).fragment;
    return fragment.empty() ? Result<void>{} : add_anchor(position, fragment, "$id");
  }
  for (const std::string_view keyword : {"$anchor", "$dynamicAnchor"}) {
    const auto anchor = schema.find(keyword);
    if (!anchor || !anchor->is(Kind::string)) continue;
    const std::string name = anchor->get_string();
    if (keyword == "$dynamicAnchor") dynamic_anchors_.push_back({name, position.resource, &position});
    if (auto added = add_anchor(position, name, keyword); !added) return added;
  }
  return {};
}

Result<void> Resources::add_anchor(const Position& position, std::string_view name, std::string_view keyword) {
  const auto [known, added] = by_anchor_.try_emplace(fmt::format("{}#{}", resource_of(position).uri, name), &position);
  if (added || known->second->value.raw().data() == position.value.raw().data()) return {};
  if (resource_of(*known->second).document != resource_of(position).document) return {};
  return fail(Errc::invalid, fmt::format("the anchor {} is used twice", name), place(position, keyword));
}

Result<ResourceId> Resources::load(std::string_view uri) {
  if (const auto known = by_uri_.find(uri); known != by_uri_.end()) return known->second;
  SharedDocument document = library_ != nullptr ? library_->find(uri) : nullptr;
  if (document == nullptr) {
    const std::string_view text = metaschema_text(uri);
    if (text.empty()) {
      return fail(
          Errc::invalid,
          fmt::format("nothing is known under {}; define it in the schema with $id: references are never fetched",
                      uri.empty() ? "this URI" : uri));
    }
    auto parsed = json::parse(text);
    MR_ASSERT(parsed.has_value(), "metaschemas are JSON");
    document = std::make_shared<const json::Document>(*std::move(parsed));
  }
  const auto added = add_document(std::move(document), std::string(uri));
  if (!added) return fail(Errc::invalid, fmt::format("in {}: {}", uri, added.error().detail));
  return by_uri_.at(uri);
}

Result<const Position*> Resources::find(std::string_view uri) {
  const SplitUri parts = split_fragment(uri);
  const auto resource = load(parts.document);
  if (!resource) return std::unexpected(resource.error());
  const auto fragment = percent_decoded(parts.fragment);
  if (!fragment) return fail(Errc::invalid, fmt::format("the fragment of {} is badly percent-encoded", uri));
  if (fragment->empty()) return by_value_.at(resources_[*resource].root.raw().data());
  if (fragment->starts_with('/')) return walk(*resource, *fragment, uri);
  const auto anchor = by_anchor_.find(fmt::format("{}#{}", resources_[*resource].uri, *fragment));
  if (anchor == by_anchor_.end()) return unknown_place(uri);
  return anchor->second;
}

Result<const Position*> Resources::walk(ResourceId resource, std::string_view pointer, std::string_view uri) {
  if (const auto known = by_pointer_.find(std::pair(resource, std::string(pointer))); known != by_pointer_.end()) {
    return known->second;
  }
  Value value = resources_[resource].root;
  std::string place = resources_[resource].pointer;
  while (!pointer.empty()) {
    const auto token = take_pointer_token(pointer);
    if (value.is(Kind::object) || value.is(Kind::array)) walked_ += value.size();
    if (walked_ > kWalkedMax) return fail(Errc::invalid, "the schema has too many references into unknown keywords");
    const auto next = token ? child(value, *token) : std::nullopt;
    if (!next) return unknown_place(uri);
    value = *next;
    append_pointer_token(place, *token);
    if (const auto known = by_value_.find(value.raw().data()); known != by_value_.end()) {
      resource = known->second->resource;
    }
  }
  if (const auto known = by_value_.find(value.raw().data()); known != by_value_.end()) return known->second;
  // Below an unknown keyword: a schema only because something refers to it.
  if (auto indexed = index(value, resource, place); !indexed) return std::unexpected(std::move(indexed.error()));
  return by_value_.at(value.raw().data());
}

const Position& Resources::inside(const Position& outer, Value value, std::string_view pointer) {
  if (const auto known = by_value_.find(value.raw().data()); known != by_value_.end()) return *known->second;
  return add_position(value, outer.resource, outer.pointer + std::string(pointer));
}

}  // namespace millrace::registry::json_schema
