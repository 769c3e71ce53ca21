// Many work items from a file of JSON lines: sent in arrays, each of them stored as a whole or not at all.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/command.h"
#include "cli/input.h"

namespace millrace::cli {

// An array is sent with this many items, or sooner when its text has grown to kImportBytes: the server bounds
// a body's size too.
inline constexpr std::size_t kImportItems = 500;
inline constexpr std::size_t kImportBytes = 1024 * 1024;

struct Imported {
  std::vector<std::int64_t> ids;  // in the order of the lines
};

// Sends every line but the first `skip`; blank lines are left out. Progress goes to session.err where that is a
// terminal. Throws Failure that names the lines to blame and how to go on after them.
Imported import_items(Api& api, Input& input, std::uint64_t skip, Session& session);

// How many items that would be. Throws Failure that names a line which is no JSON.
std::size_t count_items(Input& input, std::uint64_t skip);

}  // namespace millrace::cli
