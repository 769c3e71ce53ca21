// Whether another running program has this node's name. Two of one name would share what is found by it: each would
// take the other for its own former self. Called by the thread that opens the store.
#pragma once

#include <functional>
#include <string>

#include "store/postgres/connection.h"

namespace millrace::store::postgres {

// Returns once no program that registered before this one lives under its name. Throws StoreError (not_done) if one
// does, or if `stop_asked` says true meanwhile. A program that was killed is gone with its connections or, where its
// machine took them along, when its time has run out (PostgresOptions::node_ttl).
// REQUIRES: `instance` is registered and shows that it lives.
void refuse_namesake(Connection& connection, const std::string& instance, const std::function<bool()>& stop_asked);

}  // namespace millrace::store::postgres
