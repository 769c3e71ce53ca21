// Which lease a command is about: item, worker and, if the caller knows it, the try. Shared by the commands of
// a worker that holds an item.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/command.h"
#include "json/writer.h"

namespace millrace::cli {

struct Holder {
  std::uint64_t item = 0;
  std::optional<std::string> worker;
  std::optional<std::uint32_t> attempt;
  std::optional<std::string> lease_token;
};

// ID, --worker, --attempt and --lease-token.
void add_holder_options(CLI::App& command, Holder& holder);

// Throws Failure{usage} where neither --worker nor MILLRACE_WORKER says who.
std::string worker_of(const Holder& holder, const Session& session);

// The members of the request body. Throws as worker_of() does.
void write_holder(json::Writer& out, const Holder& holder, const Session& session);

}  // namespace millrace::cli
