// /api/event-types: the types of a tenant's events with the versions of their schemas (S3.5, S3.6).
#include <fmt/format.h>

#include "api/query.h"
#include "api/registry.h"
#include "json/parse.h"
#include "registry/type_change.h"
#include "registry/type_code.h"

namespace millrace::api {
namespace {

using registry::EventType;

// The body of the request, read where it is used: values do not outlive a co_await.
Result<json::Document> parse_body(const http::Request& request) {
  auto document = json::parse(std::string_view(request.body));
  if (!document) return std::unexpected(json::to_error(document.error()));
  return *std::move(document);
}

Result<void> check_change(const shard::Document* present, const EventType& wanted) {
  if (present == nullptr) return registry::check_new_type(wanted);
  const Result<EventType> old = type_of(*present);
  return old ? registry::check_type_change(*old, wanted) : std::unexpected(old.error());
}

// The body laid over `base`, if that may become of the present one.
Result<void> compose_over(json::Writer& out, const shard::Document* present, const EventType& base,
                          const http::Request& request) {
  const Result<json::Document> body = parse_body(request);
  if (!body) return std::unexpected(body.error());
  const Result<EventType> wanted = registry::merge_event_type(base, body->root());
  if (!wanted) return std::unexpected(wanted.error());
  if (Result<void> checked = check_change(present, *wanted); !checked) return checked;
  write_type(out, *wanted);
  return {};
}

}  // namespace

Result<EventType> type_of(const shard::Document& document) {
  const auto body = json::parse(std::string_view(document.body));
  auto type = body ? registry::parse_event_type(body->root()) : fail(Errc::invalid, "it is no JSON");
  if (type) return type;
  return fail(Errc::conflict, fmt::format("event type \"{}\" cannot be read as it is stored: {}",
                                          intake::name_in_key(document.key), type.error().detail));
}

void write_type(json::Writer& out, const EventType& type) {
  out.member("id", type.code);
  registry::write_members(out, type);
}

Async<Answer> list_event_types(Services& services, http::Request& request) {
  const auto status = Query(request.target.query).text("status", 20);
  if (!status) co_return std::unexpected(status.error());
  if (!*status) co_return list_documents(services, request, kEventTypes);
  if (**status != "CURRENT" && **status != "ARCHIVE") {
    co_return fail(Errc::bad_query, "query parameter \"status\" must be CURRENT or ARCHIVE", "status");
  }
  co_return list_documents(services, request, kEventTypes, [&](const shard::Document& document) {
    const auto body = json::parse(std::string_view(document.body));
    const auto value = body ? body->root().find("status") : std::nullopt;
    return value && value->equals(**status);
  });
}

Async<Answer> create_event_type(Services& services, http::Request& request) {
  const Result<json::Value> body = json_body(request);
  if (!body) co_return std::unexpected(body.error());
  const Result<EventType> wanted = registry::parse_event_type(*body);
  if (!wanted) co_return std::unexpected(wanted.error());
  const auto compose = [&wanted](json::Writer& out, const shard::Document* present) -> Result<void> {
    if (present != nullptr) {
      return fail(Errc::conflict, fmt::format("{} exists already", describe(kEventTypes, wanted->code)), "code");
    }
    if (Result<void> checked = registry::check_new_type(*wanted); !checked) return checked;
    write_type(out, *wanted);
    return {};
  };
  const auto written = co_await write_document(services, request, kEventTypes, wanted->code, compose);
  if (!written) co_return std::unexpected(written.error());
  co_return show_written(kEventTypes, *written);
}

Async<Answer> get_event_type(Services& services, http::Request& request) {
  co_return get_document(services, request, kEventTypes, request.param("code"));
}

Async<Answer> put_event_type(Services& services, http::Request& request) {
  const std::string& code = request.param("code");
  if (const auto form = registry::parse_code(code); !form) co_return std::unexpected(form.error());
  const auto compose = [&](json::Writer& out, const shard::Document* present) {
    return compose_over(out, present, EventType{.code = code, .name = code}, request);
  };
  const auto written = co_await write_document(services, request, kEventTypes, code, compose);
  if (!written) co_return std::unexpected(written.error());
  co_return show_written(kEventTypes, *written);
}

Async<Answer> change_event_type(Services& services, http::Request& request) {
  const std::string& code = request.param("code");
  if (!find_document(services.engine, kEventTypes, caller_of(request).tenant, code)) {
    co_return std::unexpected(no_such_document(kEventTypes, code));
  }
  const auto compose = [&](json::Writer& out, const shard::Document* present) -> Result<void> {
    if (present == nullptr) return std::unexpected(no_such_document(kEventTypes, code));
    const Result<EventType> old = type_of(*present);
    return old ? compose_over(out, present, *old, request) : std::unexpected(old.error());
  };
  const auto written = co_await write_document(services, request, kEventTypes, code, compose);
  if (!written) co_return std::unexpected(written.error());
  co_return show_written(kEventTypes, *written);
}

Async<Answer> remove_event_type(Services& services, http::Request& request) {
  co_return co_await remove_document(services, request, kEventTypes, request.param("code"));
}

}  // namespace millrace::api
