// Large payloads as rows of millrace.blobs, so that every node sees them. Any thread; each call is one statement,
// durable when it returns. The schema must be there: open the store first.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace millrace::store {

struct BlobRow {
  TenantId tenant;
  std::string key;
  Time written{};
};

// Every call throws StoreError.
class BlobTable {
 public:
  // `url` as in PostgresOptions. At most `connections` at a time.
  BlobTable(std::string url, std::size_t connections);
  ~BlobTable();

  // False: the key holds other bytes, which stay. The same bytes again count as written `now`.
  bool put(const TenantId& tenant, std::string_view key, std::string_view bytes, Time now);
  std::optional<std::string> get(const TenantId& tenant, std::string_view key);
  void remove(const TenantId& tenant, std::string_view key, Time before);
  struct Place {
    std::string tenant;  // "" = before all
    std::string key;
  };
  // In the order of the table's key, those after `place`.
  std::vector<BlobRow> list(const Place& place, std::size_t limit);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace millrace::store
