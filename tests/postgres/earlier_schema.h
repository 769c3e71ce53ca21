// A database as an earlier program left it.
#pragma once

#include <string>

#include "store/postgres/migrations.h"

namespace millrace::test {

// Applies the first `steps` steps to an empty database. Each finds what the one before made.
void make_earlier_schema(const std::string& url, std::size_t steps);

}  // namespace millrace::test
