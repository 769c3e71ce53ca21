#include "api/health.h"

#include "api/contract.h"
#include "api/reads.h"

namespace millrace::api {
namespace {

store::StoreHealth health_of(store::Store& store) {
  try {
    return store.health();
  } catch (const store::StoreError& error) {
    return {.engine = "unknown", .durability = "unknown", .warnings = {error.what()}};
  }
}

}  // namespace

Async<Answer> healthz(Services& services, http::Request&) {
  const store::StoreHealth store =
      co_await services.readers.run([&store = services.engine.store()] { return health_of(store); });
  co_return respond(200, [&](json::Writer& out) {
    out.begin_object();
    out.member("status", "ok");
    out.member("version", services.version);
    out.member("engine", engine::state_name(services.engine.state()));
    out.member("store", store.engine);
    out.member("durability", store.durability);
    out.key("warnings");
    out.begin_array();
    for (const std::string& warning : store.warnings) out.string(warning);
    out.end_array();
    out.end_object();
  });
}

Async<Answer> readyz(Services& services, http::Request&) {
  const engine::State state = services.engine.state();
  const bool ready = state == engine::State::ready;
  http::Response response = respond(ready ? 200 : 503, [&](json::Writer& out) {
    out.begin_object();
    out.member("ready", ready);
    out.member("engine", engine::state_name(state));
    out.end_object();
  });
  if (!ready) response.headers.emplace_back("Retry-After", "1");
  co_return response;
}

Async<Answer> metrics_text(Services& services, http::Request&) {
  co_return http::Response{.content_type = http::kMetricsText, .body = services.metrics.text()};
}

Async<Answer> openapi_json(Services&, http::Request&) { co_return http::json_response(200, contract_json()); }

Async<Answer> ping(Services&, http::Request&) { co_return http::json_response(200, R"({"ok":true})"); }

void publish_engine_numbers(http::Metrics& metrics, engine::Engine& engine) {
  const auto add = [&](const char* name, const char* help, auto member) {
    metrics.gauge(name, help, [&engine, member] { return static_cast<double>(engine.numbers().*member); });
  };
  using engine::EngineNumbers;
  add("millrace_engine_commits_total", "Group commits that became durable.", &EngineNumbers::commits);
  add("millrace_engine_commands_total", "Commands that were executed.", &EngineNumbers::commands);
  add("millrace_engine_commit_failures_total", "Group commits that failed.", &EngineNumbers::commit_failures);
  add("millrace_engine_pending_commands", "Commands that wait for their answer.", &EngineNumbers::pending_commands);
  add("millrace_engine_live_items", "Work items held in memory.", &EngineNumbers::live_items);
  add("millrace_engine_waiting_claims", "Claims that wait for work.", &EngineNumbers::waiting_claims);
  add("millrace_engine_last_commit_seconds", "Duration of the last commit.", &EngineNumbers::last_commit_seconds);
  add("millrace_engine_recovery_seconds", "Duration of the last recovery.", &EngineNumbers::recovery_seconds);
  metrics.gauge("millrace_ready", "1 if requests are taken.",
                [&engine] { return engine.state() == engine::State::ready ? 1.0 : 0.0; });
}

}  // namespace millrace::api
