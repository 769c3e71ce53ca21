// What a dry run says about the stored events it looked at: {"scanned", "skipped", "complete", "sample"} and how
// many of them it found.
#pragma once

#include <string_view>

#include "cli/command.h"
#include "json/value.h"

namespace millrace::cli {

// The sample as a table and "3 of 120 stored events would match". `count` is the member that has the 3, `outcome` what
// would become of those events.
void print_trial(json::Value trial, std::string_view count, std::string_view outcome, Session& session);

}  // namespace millrace::cli
