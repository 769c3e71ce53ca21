#include "api/health.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/contract.h"
#include "api/reads.h"

namespace millrace::api {
namespace {

// Of the queue's time before the clock: less comes with every correction by NTP.
constexpr Millis kAheadWorthSaying = std::chrono::seconds(2);

store::StoreHealth health_of(store::Store& store) {
  try {
    return store.health();
  } catch (const store::StoreError& error) {
    return {.engine = "unknown", .durability = "unknown", .findings = {store::fault(error.what())}};
  }
}

std::string_view state_name(blob::Report::State state) {
  switch (state) {
    case blob::Report::State::unused:
      return "unused";
    case blob::Report::State::working:
      return "working";
    case blob::Report::State::failing:
      return "failing";
  }
  return "";
}

void write_blobs(json::Writer& out, const blob::Report& blobs) {
  out.begin_object();
  out.member("kind", blobs.kind);
  out.member("state", state_name(blobs.state));
  if (!blobs.last_error.empty()) out.member("lastError", blobs.last_error);
  out.end_object();
}

}  // namespace

Async<Answer> healthz(Services& services, http::Request&) {
  const store::StoreHealth store =
      co_await services.readers.run([&store = services.engine.store()] { return health_of(store); });
  const blob::Report blobs = services.blobs.store.report();
  const bool faulty =
      std::ranges::any_of(store.findings, [](const store::Finding& f) { return f.severity == store::Severity::fault; });
  co_return respond(200, [&](json::Writer& out) {
    out.begin_object();
    out.member("status", faulty ? "failing" : "ok");
    out.member("version", services.version);
    out.member("engine", engine::state_name(services.engine.state()));
    out.member("store", store.engine);
    out.member("durability", store.durability);
    out.key("blobs");
    write_blobs(out, blobs);
    out.key("warnings");
    out.begin_array();
    for (const store::Finding& finding : store.findings) out.string(finding.text);
    if (blobs.state == blob::Report::State::failing) out.string("the blob store fails: " + blobs.last_error);
    if (const Millis ahead = services.engine.numbers().clock_ahead; ahead >= kAheadWorthSaying) {
      out.string(
          fmt::format("the clock was set back, or another node's was ahead: the queue's time is {} ahead of it and "
                      "comes down by a sixteenth of the time that passes",
                      format_duration(ahead)));
    }
    out.end_array();
    out.end_object();
  });
}

Async<Answer> readyz(Services& services, http::Request&) {
  const engine::State state = services.engine.state();
  const std::string_view unwritable = services.engine.store().unwritable();
  const bool ready = state == engine::State::ready && unwritable.empty();
  http::Response response = respond(ready ? 200 : 503, [&](json::Writer& out) {
    out.begin_object();
    out.member("ready", ready);
    out.member("engine", engine::state_name(state));
    if (!unwritable.empty()) out.member("why", unwritable);
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
  const auto read = [&engine](auto member) {
    return [&engine, member] { return static_cast<double>(engine.numbers().*member); };
  };
  using engine::EngineNumbers;
  metrics.counter("millrace_engine_commits_total", "Group commits that became durable.", read(&EngineNumbers::commits));
  metrics.counter("millrace_engine_commands_total", "Commands that were executed.", read(&EngineNumbers::commands));
  metrics.counter("millrace_engine_commit_failures_total", "Group commits that failed.",
                  read(&EngineNumbers::commit_failures));
  metrics.gauge("millrace_engine_pending_commands", "Commands that wait for their answer.",
                read(&EngineNumbers::pending_commands));
  metrics.gauge("millrace_engine_live_items", "Work items held in memory.", read(&EngineNumbers::live_items));
  metrics.gauge("millrace_engine_waiting_claims", "Claims that wait for work.", read(&EngineNumbers::waiting_claims));
  metrics.gauge("millrace_engine_last_commit_seconds", "Duration of the last commit.",
                read(&EngineNumbers::last_commit_seconds));
  metrics.gauge("millrace_engine_recovery_seconds", "Duration of the last recovery.",
                read(&EngineNumbers::recovery_seconds));
  metrics.gauge("millrace_engine_clock_ahead_seconds", "The queue's time before the clock, after that was set back.",
                [&engine] { return static_cast<double>(engine.numbers().clock_ahead.count()) / 1000; });
  metrics.gauge("millrace_ready", "1 if requests are taken.",
                [&engine] { return engine.state() == engine::State::ready ? 1.0 : 0.0; });
}

void publish_blob_numbers(http::Metrics& metrics, const blob::BlobStore& blobs) {
  using blob::Report;
  const auto read = [&blobs](auto member) {
    return [&blobs, member] { return static_cast<double>(blobs.report().*member); };
  };
  metrics.counter("millrace_blob_written_total", "Blobs written to the blob store.", read(&Report::blobs_written));
  metrics.counter("millrace_blob_written_bytes_total", "Bytes written to the blob store.",
                  read(&Report::bytes_written));
  metrics.counter("millrace_blob_swept_total", "Blobs removed because nothing referred to them.",
                  read(&Report::blobs_removed));
  metrics.counter("millrace_blob_failures_total", "Calls to the blob store that failed.", read(&Report::failures));
  metrics.gauge("millrace_blob_store_up", "0 if the last call to the blob store failed.",
                [&blobs] { return blobs.report().state == Report::State::failing ? 0.0 : 1.0; });
}

}  // namespace millrace::api
