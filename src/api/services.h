// What the endpoints work with. Made by app, outlives the server; everything in it may be used from any io thread.
#pragma once

#include <string>

#include "api/blobs.h"
#include "api/key_watch.h"
#include "api/queue_settings.h"
#include "api/tenants.h"
#include "async/thread_pool.h"
#include "base/time.h"
#include "engine/engine.h"
#include "http/metrics.h"

namespace millrace::api {

class PolicyBook;

struct Services {
  engine::Engine& engine;
  Tenants& tenants;
  PolicyBook& policies;
  async::ThreadPool& readers;  // for reads of the store that may block
  Blobs blobs;
  http::Metrics& metrics;
  const Clock& clock;
  QueueSettings queue;
  std::string version;
  KeyWatchers keys = {};
};

}  // namespace millrace::api
