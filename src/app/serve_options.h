// What `millrace serve` can be told, with its defaults. Filled by options.cc from flags, environment and file.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "api/access.h"
#include "api/queue_settings.h"
#include "app/settings.h"
#include "base/limits.h"
#include "base/time.h"
#include "event/overflow.h"

namespace millrace::app {

struct ServeOptions {
  std::string listen = "127.0.0.1:8080";
  std::string data = "millrace-data";  // folder of the embedded store
  std::string store;                   // "postgres://…" or "memory://"; "" = embedded in `data`
  std::string node_id;                 // names this node on PostgreSQL; "" = host name and port
  std::string schemas;                 // folder of event schemas to keep registered; "" = none
  std::optional<api::AuthMode> auth;   // unset: off on a loopback address, else it has to be said
  std::string admin_key;               // MILLRACE_ADMIN_KEY only: a flag would show it in the process list
  std::string tls_cert;
  std::string tls_key;
  std::size_t io_threads = 0;  // 0 = one on each core
  std::size_t read_threads = 4;

  api::QueueSettings queue;
  Millis queue_retention = std::chrono::hours(24 * 30);  // zero: for ever
  Millis event_retention{0};                             // zero: for ever
  Millis event_dedup_window = std::chrono::hours(24);    // of a deduplicationId
  std::string blobs;                 // where large payloads are kept, see api/blob_place.h; "" = beside the store
  std::string blobs_take_over;       // the owner whose place is taken over, see blob/owned_store.h; "" = none
  event::OverflowSettings overflow;  // the bucket is the blob store's to say
  std::size_t live_items_max = limits::kLiveItemsMaxDefault;

  std::size_t body_max = 16 * 1024 * 1024;
  std::size_t connections_max = 10'000;
  // Half: one address cannot take them all, and a fleet behind one proxy still fits.
  std::size_t connections_per_address_max = 5'000;
  std::size_t transfer_memory_max = 512 * 1024 * 1024;
  Millis drain_timeout = std::chrono::seconds(25);

  bool unsafe_no_sync = false;  // embedded: answer before it is on disk
  bool salvage_damaged_log = false;
  std::string log_level = "info";

  Origins origins;  // of all these, for what is said about them
};

}  // namespace millrace::app
