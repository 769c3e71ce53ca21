// The port to where large payloads are kept: bytes under a key, each tenant by itself. Implementations: folder_store.h,
// s3_store.h, memory_store.h, and a table of the PostgreSQL store.
//
// Every call blocks and may come from any thread; none may run on an io thread. What is not there just now throws
// Unavailable. A blob is never changed: a key holds the bytes it was first given until it is removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "blob/mark.h"

namespace millrace::blob {

enum class Put {
  stored,  // durable; a blob that was there with the same bytes counts as written now
  taken,   // the key holds other bytes, which stay: take another key
};

struct Entry {
  TenantId tenant;
  std::string key;
  Time written{};
};
struct Page {
  std::vector<Entry> entries;
  std::string next;  // cursor of the next page; "" = there is none
};

// How a store has been doing since it was opened, for operators.
struct Report {
  // From good to bad.
  enum class State {
    unused,   // nothing was asked of it so far
    working,  // the last read, write and removal succeeded, as far as there was one
    failing,  // the last read, the last write or the last removal threw
  };
  std::string kind;   // "folder", "s3", "postgres", "memory"
  std::string place;  // which one, as messages call it: "folder /srv/blobs". Never with a secret
  State state = State::unused;
  std::string last_error;  // also once it works again; "" = there was none
  std::uint64_t blobs_written = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t blobs_removed = 0;
  std::uint64_t failures = 0;
};

class BlobStore {
 public:
  virtual ~BlobStore() = default;

  // How references call this store: the S3 bucket, or a word.
  virtual std::string bucket() const = 0;

  // Durable before it returns. REQUIRES: a key of 1 to kKeyBytesMax bytes.
  virtual Put put(const TenantId& tenant, std::string_view key, std::string_view bytes) = 0;
  virtual std::optional<std::string> get(const TenantId& tenant, std::string_view key) = 0;
  // Nothing happens if it is not there, or was written at `before` or later: somebody needs it again.
  virtual void remove(const TenantId& tenant, std::string_view key, Time before) = 0;
  // The blobs of all tenants, in no special order; about `limit` of them. "" starts from the beginning.
  virtual Page list(std::string_view cursor, std::size_t limit) = 0;

  // Of a place that other installations could be pointed at too; null where they cannot. See owned_store.h.
  virtual Mark* mark() { return nullptr; }

  // Does not block. See watched_store.h, which counts for all of them.
  virtual Report report() const { return {}; }
};

// With a tenant in front it is still a key that S3 takes.
inline constexpr std::size_t kKeyBytesMax = 940;

}  // namespace millrace::blob
