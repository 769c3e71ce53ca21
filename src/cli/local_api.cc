// The API without a server: the same endpoints, run in this process on a store that no server has open. The
// caller has access to the files or the database itself, so no key is asked for; the audit log calls it "cli".
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include "api/access.h"
#include "api/blob_place.h"
#include "api/policy_book.h"
#include "api/routes.h"
#include "api/services.h"
#include "api/tenants.h"
#include "async/block_on.h"
#include "async/io_threads.h"
#include "async/thread_pool.h"
#include "base/assert.h"
#include "base/unavailable.h"
#include "blob/owned_store.h"
#include "cli/api.h"
#include "engine/engine.h"
#include "http/metrics.h"
#include "http/request_id.h"
#include "http/router.h"
#include "store/installation.h"
#include "store/postgres/postgres_store.h"
#include "store/rocksdb/rocksdb_store.h"

namespace millrace::cli {
namespace {

// A server that crashed counts as alive until its time has run out (PostgresOptions::node_ttl); one that still
// has the shards after that is running.
constexpr auto kOwnershipPatience = std::chrono::seconds(6);
constexpr auto kLookAgain = std::chrono::milliseconds(5);
constexpr std::size_t kBodyBytesMax = 1024 * 1024;

std::string node_name() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {"localhost"};
  return fmt::format("cli {}:{}", host.data(), ::getpid());
}

std::unique_ptr<store::Store> open_store(const Place& place) {
  if (!place.data.empty()) {
    if (!place.may_create && !std::filesystem::exists(place.data)) {
      throw Failure(Exit::unreachable,
                    fmt::format("there is no folder {} (--data names the server's own)", place.data));
    }
    return store::open_rocksdb({.path = place.data});
  }
  store::PostgresOptions postgres;
  postgres.url = place.store;
  postgres.node_id = node_name();
  postgres.read_connections = 1;
  postgres.older_nodes_patience = kOwnershipPatience;
  return store::open_postgres(postgres);
}

// MILLRACE_BLOBS says where the server keeps large payloads, unless it is where they are kept by default.
std::unique_ptr<blob::BlobStore> open_blob_store(const Place& place, const Clock& clock) {
  const auto variable = [](const char* name) -> const char* { return std::getenv(name); };
  const char* blobs = variable("MILLRACE_BLOBS");
  const std::string named = blobs == nullptr ? "" : blobs;
  auto store = api::open_blobs({.blobs = named, .data = place.data, .store = place.store}, clock, variable);
  const std::string installation =
      place.data.empty() ? store::postgres_installation(place.store) : store::rocksdb_installation(place.data);
  return blob::guard_place(std::move(store), blob::ownership_of(named, place.data, installation), clock);
}

engine::EngineOptions quiet_engine() {
  engine::EngineOptions options;
  // How long finished items are kept is the server's to say, which this process cannot ask.
  options.retention = Millis(0);
  return options;
}

class LocalApi final : public Api {
 public:
  explicit LocalApi(const Place& place)
      : caller_(std::make_shared<api::Caller>(tenant_of(place), api::Scopes::all(), "cli")),
        store_(open_store(place)),
        blobs_(open_blob_store(place, clock_)),
        engine_(*store_, clock_, quiet_engine(), [this](std::string why) { note_broken(std::move(why)); }) {
    engine_.start();
    await_ready();
  }

  http::ClientResponse call(const Call& call) override {
    http::Request request;
    request.head.method = call.method;
    request.head.target = call.target;
    request.body = call.body;
    request.request_id = http::make_request_id();
    request.correlation_id = request.request_id;
    request.principal = caller_;
    Result<http::Target> target = http::parse_target(call.target);
    MR_ASSERT(target.has_value(), "the command line writes well-formed targets");
    request.target = *std::move(target);
    const http::Endpoint* endpoint = router_.find(call.method, request.target.segments).endpoint;
    MR_ASSERT(endpoint != nullptr, "the command line calls endpoints that exist");
    request.params = router_.params(*endpoint, request.target.segments);
    http::Response response = run(*endpoint, request);
    return {.status = response.status, .headers = std::move(response.headers), .body = std::move(response.body)};
  }

 private:
  http::Response run(const http::Endpoint& endpoint, http::Request& request) {
    try {
      http::Response response = async::block_on(io_.at(0), endpoint.run(request));
      if (const std::string why = broken(); !why.empty()) throw Failure(Exit::unreachable, why);
      return response;
    } catch (const Unavailable& error) {
      throw Failure(Exit::unreachable, error.what());
    }
  }

  static TenantId tenant_of(const Place& place) {
    if (place.tenant.empty()) return TenantId::default_tenant();
    std::optional<TenantId> tenant = TenantId::parse(place.tenant);
    if (tenant) return *tenant;
    throw Failure(Exit::usage, fmt::format("\"{}\" is no name of a tenant (1 to 63 of a-z, 0-9, '.', '_', '-', "
                                           "starting with a letter or digit)",
                                           place.tenant));
  }

  void await_ready() {
    const auto give_up = std::chrono::steady_clock::now() + kOwnershipPatience;
    for (;;) {
      const engine::State state = engine_.state();
      if (state == engine::State::ready) return;
      if (const std::string why = broken(); !why.empty()) throw Failure(Exit::unreachable, why);
      if (state == engine::State::standby && std::chrono::steady_clock::now() > give_up) {
        throw Failure(Exit::unreachable, "a running server owns this store (ask it: --server URL instead of --store)");
      }
      std::this_thread::sleep_for(kLookAgain);
    }
  }

  void note_broken(std::string why) {
    const std::lock_guard lock(mutex_);
    broken_ = std::move(why);
  }
  std::string broken() {
    const std::lock_guard lock(mutex_);
    return broken_;
  }

  std::mutex mutex_;
  std::string broken_;  // guarded by mutex_: why the engine could not go on
  SystemClock clock_;
  std::shared_ptr<const api::Caller> caller_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<blob::BlobStore> blobs_;
  async::IoThreads io_{1};
  async::ThreadPool readers_{1};
  http::Metrics metrics_;
  engine::Engine engine_;
  api::Tenants tenants_{engine_, clock_};
  api::PolicyBook policies_{engine_};
  api::Services services_{.engine = engine_,
                          .tenants = tenants_,
                          .policies = policies_,
                          .readers = readers_,
                          .blobs = {.store = *blobs_, .threads = readers_, .events = {.bucket = blobs_->bucket()}},
                          .metrics = metrics_,
                          .clock = clock_,
                          .queue = {},
                          .version = {}};
  http::Router router_{api::make_endpoints(services_, kBodyBytesMax)};
};

}  // namespace

std::unique_ptr<Api> open_local(const Place& place) {
  try {
    return std::make_unique<LocalApi>(place);
  } catch (const Unavailable& error) {
    const char* fix = place.data.empty() ? "" : " (with the server running, use --server URL instead of --data)";
    throw Failure(Exit::unreachable, std::string(error.what()) + fix);
  }
}

}  // namespace millrace::cli
