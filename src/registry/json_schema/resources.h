// Where every subschema stands and under which URIs it is known: the documents of one compilation with their $id,
// $anchor and $dynamicAnchor. Documents of the library and metaschemas come in when first named. One thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "registry/json_schema/dialect.h"
#include "registry/json_schema/library.h"
#include "registry/json_schema/text_map.h"

namespace millrace::registry::json_schema {

using ResourceId = std::uint32_t;

// A schema with a URI of its own: a document, or a part of one with $id.
struct Resource {
  std::string uri;  // without fragment
  json::Value root;
  Dialect dialect;
  std::uint32_t document;
  std::string pointer;  // of the root in its document
};

// A place where a schema stands.
struct Position {
  json::Value value;
  ResourceId resource;
  std::string pointer;  // in its document
};

struct DynamicAnchor {
  std::string name;
  ResourceId resource;
  const Position* position;
};

class Resources {
 public:
  // `defaults` is the dialect of documents without $schema. The library may be null.
  Resources(std::shared_ptr<const Library> library, Dialect defaults);

  // Indexes the document that is compiled. Errors as in Schema::compile().
  Result<const Position*> add_root(SharedDocument document, std::string_view uri);
  // The schema that an absolute URI names. Errc::invalid without `field`: it is the caller's $ref.
  Result<const Position*> find(std::string_view uri);
  // A schema directly inside another one, under these tokens below it.
  const Position& inside(const Position& outer, json::Value value, std::string_view pointer);

  const Resource& resource(ResourceId id) const { return resources_[id]; }
  const Resource& resource_of(const Position& position) const { return resources_[position.resource]; }
  // What errors call the place: a pointer, with the URI before it outside the root document.
  std::string place(const Position& position, std::string_view keyword = {}) const;
  // In the order they were found; grows as documents come in.
  const std::deque<Position>& positions() const { return positions_; }
  const std::vector<DynamicAnchor>& dynamic_anchors() const { return dynamic_anchors_; }
  std::size_t resource_count() const { return resources_.size(); }
  bool in_root_document(const Position& position) const { return resource_of(position).document == 0; }
  // What keeps the values alive.
  const std::vector<SharedDocument>& documents() const { return documents_; }

 private:
  Result<const Position*> add_document(SharedDocument document, const std::string& uri);
  Result<void> index(json::Value schema, ResourceId resource, std::string pointer);
  Result<void> index_children(json::Value schema, ResourceId resource, const std::string& pointer);
  Result<ResourceId> enter(json::Value schema, ResourceId outer, const std::string& pointer);
  Result<void> name_anchors(json::Value schema, const Position& position);
  Result<void> add_anchor(const Position& position, std::string_view name, std::string_view keyword);
  Result<ResourceId> load(std::string_view uri);
  Result<const Position*> walk(ResourceId resource, std::string_view pointer, std::string_view uri);
  const Position& add_position(json::Value value, ResourceId resource, std::string pointer);

  std::shared_ptr<const Library> library_;
  Dialect defaults_;
  std::vector<SharedDocument> documents_;
  std::vector<std::string> document_uris_;  // under which they came in
  std::deque<Resource> resources_;
  std::deque<Position> positions_;  // addresses stay
  TextMap<ResourceId> by_uri_;
  absl::flat_hash_map<const char*, const Position*> by_value_;  // by where the value begins in its text
  TextMap<const Position*> by_anchor_;                          // "uri#name"
  absl::flat_hash_map<std::pair<ResourceId, std::string>, const Position*> by_pointer_;
  std::vector<DynamicAnchor> dynamic_anchors_;
  std::size_t walked_ = 0;  // members passed by walk()
};

}  // namespace millrace::registry::json_schema
