// The rules of a tenant's buses under /api/rules (S2.8).
#pragma once

#include "api/documents.h"
#include "api/respond.h"
#include "api/services.h"
#include "intake/documents.h"

namespace millrace::api {

inline constexpr Collection kRules{
    .kind = intake::kRuleKind, .entity_type = "millrace.rule", .noun = "rule", .path = "/api/rules"};

Async<Answer> list_rules(Services& services, http::Request& request);
Async<Answer> get_rule(Services& services, http::Request& request);
Async<Answer> put_rule(Services& services, http::Request& request);
Async<Answer> change_rule(Services& services, http::Request& request);
Async<Answer> remove_rule(Services& services, http::Request& request);

// No rule can be named so, since its path tries patterns; told with a reason, where the router would say 405.
Async<Answer> refuse_rule_named_test(Services& services, http::Request& request);

// Whether a pattern matches an event that the request brings, and why not.
Async<Answer> try_pattern(Services& services, http::Request& request);

}  // namespace millrace::api
