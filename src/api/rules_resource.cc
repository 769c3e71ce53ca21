// /api/rules: which events go where (S2.8). With ?dryRun=true a PUT or PATCH saves nothing and says which stored
// events the rule would have matched.
#include <fmt/format.h>

#include "api/event_scan.h"
#include "api/first_error.h"
#include "api/query.h"
#include "api/reads.h"
#include "api/rules.h"
#include "base/assert.h"
#include "intake/hindsight.h"
#include "intake/rule.h"
#include "json/parse.h"

namespace millrace::api {
namespace {

using intake::Rule;

Result<Rule> rule_of(const shard::Document& document) {
  const std::string_view name = intake::name_in_key(document.key);
  const auto body = json::parse(std::string_view(document.body));
  auto rule = body ? intake::parse_stored_rule(name, body->root()) : fail(Errc::invalid, "it is no JSON");
  if (rule) return rule;
  return fail(Errc::conflict, fmt::format("rule \"{}\" cannot be read as it is stored: {}", name, rule.error().detail));
}

// The rule that the request asks for, given the present one.
using Wish = std::function<Result<Rule>(const shard::Document* present)>;

Result<Rule> read_whole(const http::Request& request) {
  const auto body = json::parse(std::string_view(request.body));
  if (!body) return std::unexpected(json::to_error(body.error()));
  return intake::parse_rule(request.param("name"), body->root());
}

Result<Rule> read_changes(const http::Request& request, const shard::Document* present) {
  if (present == nullptr) return std::unexpected(no_such_document(kRules, request.param("name")));
  const auto body = json::parse(std::string_view(request.body));
  if (!body) return std::unexpected(json::to_error(body.error()));
  const Result<Rule> old = rule_of(*present);
  return old ? intake::merge_rule(*old, body->root()) : old;
}

struct Trial {
  ScanExtent extent;
  std::size_t matched = 0;
  std::string sample;  // JSON
};

Trial try_rule(store::Store& store, std::optional<ShardId> shard, const TenantId& tenant, const ScanRange& range,
               const store::Horizon& horizon, const Rule& rule) {
  const auto document = json::parse(std::string_view(rule.pattern));
  auto pattern = intake::compile_pattern(document->root(), rule.dialect);
  MR_ASSERT(pattern.has_value(), "a rule that was read has a pattern that compiles");
  intake::PatternTrial attempt(std::make_shared<const match::Pattern>(*std::move(pattern)), rule.bus);
  Trial trial;
  json::Writer out(trial.sample);
  out.begin_array();
  trial.extent = scan_events(store, shard, tenant, range, horizon, [&](const event::Record& record) {
    if (!attempt.matches(record) || ++trial.matched > kScanSampleMax) return;
    out.begin_object();
    write_sample_members(out, record);
    out.end_object();
  });
  out.end_array();
  return trial;
}

Async<Answer> answer_trial(Services& services, http::Request& request, Rule rule) {
  const Query query(request.target.query);
  FirstError error;
  ScanRange range;
  range.from = error.take(query.time("from"));
  range.to = error.take(query.time("to"));
  if (error.failed()) co_return error.give();
  const TenantId tenant = caller_of(request).tenant;
  const Trial trial =
      co_await read_range(services, [&store = services.engine.store(), shard = services.engine.shard_of(tenant), tenant,
                                     range, horizon = horizon_of(services), rule = std::move(rule)] {
        return try_rule(store, shard, tenant, range, horizon, rule);
      });
  co_return respond(200, [&](json::Writer& out) {
    out.begin_object();
    out.member("dryRun", true);
    out.member("matched", trial.matched);
    write_extent_members(out, trial.extent);
    out.raw_member("sample", trial.sample);
    out.end_object();
  });
}

Async<Answer> save_or_try(Services& services, http::Request& request, Wish wish) {
  const std::string& name = request.param("name");
  const Query query(request.target.query);
  const Result<std::optional<bool>> dry_run = query.boolean("dryRun");
  if (!dry_run) co_return std::unexpected(dry_run.error());
  const bool tries = dry_run->value_or(false);
  for (const std::string_view bound : {"from", "to"}) {
    if (tries || !query.has(bound)) continue;
    co_return fail(Errc::bad_query, fmt::format("query parameter \"{}\" is of a trial: add dryRun=true", bound),
                   std::string(bound));
  }
  if (tries) {
    const auto present = find_document(services.engine, kRules, caller_of(request).tenant, name);
    Result<Rule> rule = wish(present ? &*present : nullptr);
    if (!rule) co_return std::unexpected(std::move(rule.error()));
    co_return co_await answer_trial(services, request, *std::move(rule));
  }
  const auto compose = [&wish](json::Writer& out, const shard::Document* present) -> Result<void> {
    const Result<Rule> rule = wish(present);
    if (!rule) return std::unexpected(rule.error());
    intake::write_members(out, *rule);
    return {};
  };
  const auto written = co_await write_document(services, request, kRules, name, compose);
  if (!written) co_return std::unexpected(written.error());
  co_return show_written(kRules, *written);
}

}  // namespace

Async<Answer> list_rules(Services& services, http::Request& request) {
  co_return list_documents(services, request, kRules);
}

Async<Answer> get_rule(Services& services, http::Request& request) {
  co_return get_document(services, request, kRules, request.param("name"));
}

Async<Answer> put_rule(Services& services, http::Request& request) {
  co_return co_await save_or_try(services, request, [&request](const shard::Document*) { return read_whole(request); });
}

Async<Answer> change_rule(Services& services, http::Request& request) {
  const std::string& name = request.param("name");
  if (!find_document(services.engine, kRules, caller_of(request).tenant, name)) {
    co_return std::unexpected(no_such_document(kRules, name));
  }
  co_return co_await save_or_try(services, request,
                                 [&request](const shard::Document* present) { return read_changes(request, present); });
}

Async<Answer> remove_rule(Services& services, http::Request& request) {
  co_return co_await remove_document(services, request, kRules, request.param("name"));
}

}  // namespace millrace::api
