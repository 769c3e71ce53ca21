#include <fmt/format.h>

#include "cli/answer.h"
#include "cli/examine.h"
#include "json/parse.h"

namespace millrace::cli {
namespace {

constexpr auto kPatience = std::chrono::seconds(5);

void add_blobs(Findings& findings, json::Value blobs) {
  const bool failing = text_of(blobs, "state") == "failing";
  findings.push_back(
      {.verdict = failing ? Verdict::fail : Verdict::ok,
       .subject = "blob store",
       .what = failing ? fmt::format("{}, does not work: {}", text_of(blobs, "kind"), text_of(blobs, "lastError"))
                       : text_of(blobs, "kind"),
       .fix = failing ? "see docs/operations.md on large payloads" : ""});
}

// False if it is no server of ours.
bool add_health(Findings& findings, const http::ClientResponse& answer) {
  const auto document = json::parse(answer.body);
  if (answer.status != 200 || !document || text_of(document->root(), "durability").empty()) {
    findings.push_back({.verdict = Verdict::fail,
                        .subject = "server",
                        .what = fmt::format("/healthz answers with status {} and is not Millrace's", answer.status),
                        .fix = "name a Millrace server with --server"});
    return false;
  }
  const json::Value health = document->root();
  const bool failing = text_of(health, "status") == "failing";
  findings.push_back({.subject = "server", .what = fmt::format("version {}", text_of(health, "version"))});
  const std::string durability = text_of(health, "durability");
  const bool none = durability == "none";
  findings.push_back({.verdict = none ? Verdict::warn : Verdict::ok,
                      .subject = "durability",
                      .what = fmt::format("{} ({})", durability, text_of(health, "store")),
                      .fix = !none ? ""
                             : text_of(health, "store") == "postgres"
                                 ? "turn fsync and full_page_writes on in PostgreSQL"
                                 : "start it without --unsafe-no-sync, on --data or --store"});
  if (const std::optional<json::Value> blobs = health.find("blobs")) add_blobs(findings, *blobs);
  const std::optional<json::Value> warnings = health.find("warnings");
  if (!warnings || !warnings->is(json::Kind::array)) return true;
  for (const json::Value warning : warnings->elements()) {
    if (!warning.is(json::Kind::string)) continue;
    findings.push_back({.verdict = failing ? Verdict::fail : Verdict::warn,
                        .subject = "server says",
                        .what = warning.get_string(),
                        .fix = failing ? "see what the store lacks: `millrace doctor --store URL` or --data DIR" : ""});
  }
  return true;
}

void add_readiness(Findings& findings, const http::ClientResponse& answer) {
  const auto document = json::parse(answer.body);
  const std::string state = document ? text_of(document->root(), "engine") : "";
  if (answer.status == 200) return findings.push_back({.subject = "readiness", .what = "takes requests"});
  const bool standby = state == "standby";
  findings.push_back({.verdict = standby ? Verdict::warn : Verdict::fail,
                      .subject = "readiness",
                      .what = fmt::format("takes no requests: {}", state.empty() ? "unknown" : state),
                      .fix = standby ? "nothing, if another node is meant to be active" : "see the server's log"});
}

void add_key(Findings& findings, const http::ClientResponse& answer) {
  const bool refused = answer.status == 401 || answer.status == 403;
  findings.push_back({.verdict = refused ? Verdict::fail : Verdict::ok,
                      .subject = "key",
                      .what = refused ? refusal(answer) : "is accepted"});
}

}  // namespace

Findings examine_server(Api& api, const Place& place, const Clock& clock) {
  Findings findings;
  try {
    const Time asked = clock.now();
    const http::ClientResponse health = api.call({.target = "/healthz", .timeout = kPatience});
    const Time answered = clock.now();
    if (!add_health(findings, health)) return findings;
    const std::optional<Time> there = parse_http_date(health.header("Date").value_or(""));
    if (there) findings.push_back(judge_clock_skew(*there, asked, answered));
    add_readiness(findings, api.call({.target = "/readyz", .timeout = kPatience}));
    if (!place.key.empty()) add_key(findings, api.call({.target = "/api/queue/stats", .timeout = kPatience}));
  } catch (const Failure& failure) {
    findings.push_back({.verdict = Verdict::fail, .subject = "server", .what = failure.what()});
  }
  return findings;
}

}  // namespace millrace::cli
