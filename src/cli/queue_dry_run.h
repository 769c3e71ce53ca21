// --dry-run of the queue commands: what a command would do, judged by what the server shows at the moment. Only
// reads are sent, so that no server, however old, can take a trial for the real thing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/holder.h"
#include "json/value.h"

namespace millrace::cli {

void add_dry_run_option(CLI::App& command, bool& dry_run);

// What would come of an item.
struct Prospect {
  std::string_view action;  // "reset"
  std::uint64_t id = 0;
  std::string status;    // the present one
  std::string would_be;  // the one after it
  std::string then;      // the same in words: "it would be " + this
};
// The answer of the command, as a line or as one JSON document.
Exit say(const Prospect& prospect, bool json, Session& session);
// The answer of a command in its own words, and on stderr that nothing was changed. REQUIRES: printable().
Exit say_nothing_changed(std::string_view text, Session& session);

// An item as it is, with its log. Throws Failure{refused} as accepted() does.
json::Document item_now(Api& api, std::uint64_t id);

// For the commands of a holder. Throws Failure{refused} where the item is not held by that worker, but for an
// `outcome` ("COMPLETED", "FAILED") that it has reported already: then true. Attempt and lease token are not judged:
// the server does not show them.
bool is_repeat(json::Value item, const Holder& holder, const Session& session, std::string_view outcome);

}  // namespace millrace::cli
