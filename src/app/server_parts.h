// The parts of a running server, in the order they are built; they go in the reverse order.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/access.h"
#include "api/blob_sweep.h"
#include "api/policy_book.h"
#include "api/services.h"
#include "api/tenants.h"
#include "app/address.h"
#include "app/schema_folder.h"
#include "app/serve_options.h"
#include "async/io_threads.h"
#include "async/thread_pool.h"
#include "base/time.h"
#include "engine/engine.h"
#include "http/metrics.h"
#include "http/server.h"
#include "store/store.h"

namespace millrace::app {

// Throws store::StoreError, also if `stop_asked` says true while it takes long.
std::unique_ptr<store::Store> open_store(const ServeOptions& options, const Address& listen,
                                         std::function<bool()> stop_asked);

class ServerParts {
 public:
  // Listens, answers nobody yet. Throws StoreError, std::runtime_error where it cannot listen.
  ServerParts(const ServeOptions& options, const Address& listen, api::AuthMode auth,
              std::unique_ptr<store::Store> store);

  // Answers /healthz from now on; everything else once the engine is ready.
  void start();
  bool ready() const { return engine_.state() == engine::State::ready; }
  // Makes sure that the tenant `default` exists. False: that cannot be written now, which is logged; try again.
  bool register_default_tenant();
  // Keeps the schemas of a folder registered from now on. REQUIRES: ready().
  void follow_schemas(const std::string& folder);
  bool has_keys() const;
  std::string url() const { return server_.url(); }
  // Answers what is under way, and then nobody any more. False if some had to be cut.
  bool stop(Millis patience);

 private:
  SystemClock clock_;
  std::unique_ptr<store::Store> store_;
  async::IoThreads io_;
  async::ThreadPool readers_;
  std::unique_ptr<blob::BlobStore> blobs_;
  async::ThreadPool blob_threads_;
  http::Metrics metrics_;
  engine::Engine engine_;
  api::BlobSweep blob_sweep_;
  api::Tenants tenants_;
  api::PolicyBook policies_;
  api::Services services_;
  api::Access access_;
  http::Server server_;
  std::unique_ptr<SchemaFolder> schemas_;
};

}  // namespace millrace::app
