// /api/public-events: which fields of an event type may be seen outside (S2.7).
#include "api/registry.h"
#include "registry/projection.h"

namespace millrace::api {

Async<Answer> list_allowlists(Services& services, http::Request& request) {
  co_return list_documents(services, request, kAllowlists);
}

Async<Answer> get_allowlist(Services& services, http::Request& request) {
  co_return get_document(services, request, kAllowlists, request.param("type"));
}

Async<Answer> put_allowlist(Services& services, http::Request& request) {
  const Result<json::Value> body = json_body(request);
  if (!body) co_return std::unexpected(body.error());
  const Result<registry::Allowlist> wanted = registry::parse_allowlist(request.param("type"), *body);
  if (!wanted) co_return std::unexpected(wanted.error());
  const auto compose = [&wanted](json::Writer& out, const shard::Document*) -> Result<void> {
    registry::write_members(out, *wanted);
    return {};
  };
  const auto written = co_await write_document(services, request, kAllowlists, wanted->event_type, compose);
  if (!written) co_return std::unexpected(written.error());
  co_return show_written(kAllowlists, *written);
}

Async<Answer> change_allowlist(Services& services, http::Request& request) {
  const std::string& type = request.param("type");
  if (!find_document(services.engine, kAllowlists, caller_of(request).tenant, type)) {
    co_return std::unexpected(no_such_document(kAllowlists, type));
  }
  // An allowlist has one thing to say, so that a change gives it whole.
  const Result<json::Value> body = json_body(request);
  if (!body) co_return std::unexpected(body.error());
  const Result<registry::Allowlist> wanted = registry::parse_allowlist(type, *body);
  if (!wanted) co_return std::unexpected(wanted.error());
  const auto compose = [&](json::Writer& out, const shard::Document* present) -> Result<void> {
    if (present == nullptr) return std::unexpected(no_such_document(kAllowlists, type));
    registry::write_members(out, *wanted);
    return {};
  };
  const auto written = co_await write_document(services, request, kAllowlists, type, compose);
  if (!written) co_return std::unexpected(written.error());
  co_return show_written(kAllowlists, *written);
}

Async<Answer> remove_allowlist(Services& services, http::Request& request) {
  co_return co_await remove_document(services, request, kAllowlists, request.param("type"));
}

}  // namespace millrace::api
