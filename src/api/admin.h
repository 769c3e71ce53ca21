// Tenants, keys and the audit log under /api: problem+json, camelCase, {"items", "nextCursor"}.
#pragma once

#include "api/respond.h"
#include "api/services.h"

namespace millrace::api {

Async<Answer> list_tenants(Services& services, http::Request& request);
Async<Answer> create_tenant(Services& services, http::Request& request);
Async<Answer> get_tenant(Services& services, http::Request& request);
Async<Answer> change_tenant(Services& services, http::Request& request);

Async<Answer> list_keys(Services& services, http::Request& request);
Async<Answer> create_key(Services& services, http::Request& request);
Async<Answer> revoke_key(Services& services, http::Request& request);

Async<Answer> list_audit(Services& services, http::Request& request);

}  // namespace millrace::api
