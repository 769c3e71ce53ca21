#include "api/blob_place.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/unavailable.h"
#include "blob/folder_store.h"
#include "blob/memory_store.h"
#include "blob/s3_store.h"
#include "blob/watched_store.h"
#include "store/postgres/blob_table.h"

namespace millrace::api {
namespace {

// As many as the pool that calls it has threads.
constexpr std::size_t kConnections = 4;

// The table behind the port.
class TableBlobs final : public blob::BlobStore {
 public:
  TableBlobs(const std::string& url, const Clock& clock) : table_(url, kConnections), clock_(clock) {}

  std::string bucket() const override { return "postgres"; }
  blob::Put put(const TenantId& tenant, std::string_view key, std::string_view bytes) override {
    return table_.put(tenant, key, bytes, clock_.now()) ? blob::Put::stored : blob::Put::taken;
  }
  std::optional<std::string> get(const TenantId& tenant, std::string_view key) override {
    return table_.get(tenant, key);
  }
  void remove(const TenantId& tenant, std::string_view key, Time before) override {
    table_.remove(tenant, key, before);
  }

  // A cursor is "<tenant>/<key>": the last row of the page.
  blob::Page list(std::string_view cursor, std::size_t limit) override {
    const std::size_t slash = std::min(cursor.find('/'), cursor.size());
    const std::string_view key = cursor.substr(std::min(slash + 1, cursor.size()));
    auto rows = table_.list({.tenant = std::string(cursor.substr(0, slash)), .key = std::string(key)}, limit);
    blob::Page page;
    for (auto& row : rows) page.entries.push_back({std::move(row.tenant), std::move(row.key), row.written});
    if (page.entries.size() < limit) return page;
    const blob::Entry& last = page.entries.back();
    page.next = fmt::format("{}/{}", last.tenant.text(), last.key);
    return page;
  }

 private:
  store::BlobTable table_;
  const Clock& clock_;
};

bool is_postgres(const std::string& store) { return !store.empty() && store != "memory://"; }

}  // namespace

std::unique_ptr<blob::BlobStore> open_blobs(const BlobPlace& place, const Clock& clock, const ReadVariable& variable) {
  const auto watched = [](const char* kind, std::string name, std::unique_ptr<blob::BlobStore> store) {
    return std::make_unique<blob::WatchedStore>(kind, std::move(name), std::move(store));
  };
  if (place.blobs.starts_with("s3://")) {
    return watched("s3", place.blobs.substr(0, place.blobs.find('?')),
                   blob::open_s3(blob::read_s3_url(place.blobs, variable)));
  }
  if (place.blobs == "memory" || (place.blobs.empty() && place.store == "memory://")) {
    return watched("memory", "the memory of the server", std::make_unique<blob::MemoryStore>(clock));
  }
  if (place.blobs == "postgres" && !is_postgres(place.store)) {
    throw Unavailable("--blobs postgres needs --store postgres://…");
  }
  if (place.blobs == "postgres" || (place.blobs.empty() && is_postgres(place.store))) {
    return watched("postgres", "a table of the PostgreSQL store", std::make_unique<TableBlobs>(place.store, clock));
  }
  const std::string folder = place.blobs.empty() ? place.data + "/blobs" : place.blobs;
  return watched("folder", "folder " + folder, blob::open_folder({.root = folder}));
}

}  // namespace millrace::api
