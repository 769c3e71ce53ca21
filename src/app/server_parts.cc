#include "app/server_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "api/access_key.h"
#include "api/blob_place.h"
#include "api/health.h"
#include "api/routes.h"
#include "app/options.h"
#include "app/version.h"
#include "async/block_on.h"
#include "async/cores.h"
#include "async/mailbox.h"
#include "base/log.h"
#include "blob/owned_store.h"
#include "json/escape.h"
#include "store/installation.h"
#include "store/memory/memory_store.h"
#include "store/postgres/postgres_store.h"
#include "store/rocksdb/rocksdb_store.h"

namespace millrace::app {
namespace {

std::string default_node_id(const Address& listen) {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return fmt::format("node:{}", listen.port);
  return fmt::format("{}:{}", name.data(), listen.port);
}

async::IoThreads start_io(const ServeOptions& options) {
  if (options.io_threads > 0) return async::IoThreads(options.io_threads);
  return async::IoThreads(async::usable_cores());
}

engine::EngineOptions engine_options(const ServeOptions& options) {
  engine::EngineOptions engine;
  engine.around_deliveries = [](const std::function<void()>& deliver) {
    const async::Mailbox::Gather gather;  // one wake-up an io thread and group
    deliver();
  };
  engine.shard.live_items_max = options.live_items_max;
  engine.shard.deduplication_window = options.event_dedup_window;
  engine.retention = options.queue_retention;
  engine.event_retention = options.event_retention;
  return engine;
}

// Calls to the blob store that run at a time: a slow one must not keep other reads waiting.
constexpr std::size_t kBlobThreads = 4;

// REQUIRES: the store is open.
std::string installation_of(const ServeOptions& options) {
  if (options.store.empty()) return store::rocksdb_installation(options.data);
  if (options.store == "memory://") return store::make_installation();
  return store::postgres_installation(options.store);
}

std::unique_ptr<blob::BlobStore> open_blob_store(const ServeOptions& options, const Clock& clock) {
  const api::BlobPlace place{.blobs = options.blobs, .data = options.data, .store = options.store};
  auto blobs = api::open_blobs(place, clock, [](const char* name) -> const char* { return std::getenv(name); });
  return blob::claim_place(
      std::move(blobs),
      blob::ownership_of(options.blobs, options.data, installation_of(options), options.blobs_take_over), clock);
}

event::OverflowSettings overflow_settings(const ServeOptions& options, const blob::BlobStore& blobs) {
  event::OverflowSettings settings = options.overflow;
  settings.bucket = blobs.bucket();
  return settings;
}

http::ServerOptions server_options(const ServeOptions& options, const Address& listen) {
  http::ServerOptions server;
  server.address = listen.host;
  server.port = listen.port;
  if (!options.tls_cert.empty()) server.tls = http::TlsFiles{options.tls_cert, options.tls_key};
  server.connections_max = options.connections_max;
  server.connections_per_address_max = options.connections_per_address_max;
  server.held_bytes_max = options.transfer_memory_max;
  return server;
}

// A key in a path, as of one that is to be revoked, is not for the log; nor is one that is percent-encoded.
void log_without_secrets(http::Answered answered) {
  const bool encoded = answered.path.find('%') != std::string_view::npos;
  if (!encoded && answered.path.find("mr_") == std::string_view::npos) return http::log_answer(answered);
  std::string path(answered.path);
  if (encoded) path = fmt::format("/{}", fmt::join(http::guess_segments(answered.path), "/"));
  const std::string shown = api::without_secrets(path);
  if (shown != path) answered.path = shown;
  http::log_answer(answered);
}

// Nothing that is not on disk may be acknowledged after this, so there is no orderly way out.
void leave_broken(const std::string& why) {
  std::string text;
  json::append_string(text, why);
  spdlog::critical(R"("msg":"the store failed; exiting without acknowledging anything more","why":{})", text);
  flush_log();  // requests are still answered, and their lines written, on other threads
  std::_Exit(kExitBroken);
}

}  // namespace

std::unique_ptr<store::Store> open_store(const ServeOptions& options, const Address& listen,
                                         std::function<bool()> stop_asked) {
  if (options.store.empty()) {
    return store::open_rocksdb({.path = options.data,
                                .sync = !options.unsafe_no_sync,
                                .salvage_damaged_log = options.salvage_damaged_log,
                                .broken = leave_broken});
  }
  if (options.store == "memory://") return std::make_unique<store::MemoryStore>();
  store::PostgresOptions postgres;
  postgres.url = options.store;
  postgres.node_id = options.node_id.empty() ? default_node_id(listen) : options.node_id;
  // Servers that let the system choose their port have no name of their own, unless it was given.
  postgres.name_is_unique = !options.node_id.empty() || listen.port != 0;
  postgres.stop_asked = std::move(stop_asked);
  return store::open_postgres(postgres);
}

ServerParts::ServerParts(const ServeOptions& options, const Address& listen, api::AuthMode auth,
                         std::unique_ptr<store::Store> store)
    : store_(std::move(store)),
      io_(start_io(options)),
      readers_(options.read_threads),
      blobs_(open_blob_store(options, clock_)),
      blob_threads_(kBlobThreads),
      engine_(*store_, clock_, engine_options(options), leave_broken),
      blob_sweep_(engine_, *blobs_, clock_),
      tenants_(engine_, clock_),
      policies_(engine_),
      services_{.engine = engine_,
                .tenants = tenants_,
                .policies = policies_,
                .readers = readers_,
                .blobs = {.store = *blobs_, .threads = blob_threads_, .events = overflow_settings(options, *blobs_)},
                .metrics = metrics_,
                .clock = clock_,
                .queue = options.queue,
                .version = std::string(version())},
      access_(
          {.mode = auth, .listen_host = listen.host, .admin_key = options.admin_key}, clock_,
          [this] { return engine_.catalog(); }, [this] { return ready(); }),
      server_(
          io_, http::Router(api::make_endpoints(services_, options.body_max)), server_options(options, listen),
          [this](http::Request& request, const http::Endpoint& endpoint) { return access_.admit(request, endpoint); },
          [this](const http::Answered& answered) {
            metrics_.observe(answered);
            log_without_secrets(answered);
          }) {
  api::publish_engine_numbers(metrics_, engine_);
  api::publish_blob_numbers(metrics_, *blobs_);
  metrics_.gauge("millrace_http_connections", "Open connections",
                 [this] { return static_cast<double>(server_.connections()); });
  metrics_.counter("millrace_http_refused_connections_total", "Connections beyond --connections-max or its like",
                   [this] { return static_cast<double>(server_.refused_connections()); });
  metrics_.gauge("millrace_http_held_bytes", "Of large bodies and answers under way, see --transfer-memory-max",
                 [this] { return static_cast<double>(server_.held_bytes()); });
}

void ServerParts::start() {
  server_.start();
  engine_.start();
  blob_sweep_.start();
}

bool ServerParts::register_default_tenant() {
  const TenantId tenant = TenantId::default_tenant();
  const Result<ShardId> shard = async::block_on(io_.at(0), tenants_.shard_for(tenant, {"system", "start"}));
  if (shard) return true;
  std::string why;
  json::append_string(why, shard.error().detail);
  spdlog::warn(R"("msg":"not ready: the first write is refused","why":{})", why);
  return false;
}

void ServerParts::follow_schemas(const std::string& folder) {
  schemas_ = std::make_unique<SchemaFolder>(folder, services_, io_);
}

bool ServerParts::has_keys() const {
  const std::shared_ptr<const engine::Catalog> catalog = engine_.catalog();
  const auto keys = catalog->find(api::kKeyKind);
  return keys != catalog->end() && !keys->second.empty();
}

bool ServerParts::stop(Millis patience) {
  schemas_.reset();
  engine_.drain();
  const bool clean = server_.drain(patience);
  blob_sweep_.stop();
  engine_.stop();
  return clean;
}

}  // namespace millrace::app
