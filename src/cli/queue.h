// `millrace queue …`: work items (S4). One function a command; each adds itself to `parent`.
#pragma once

#include <cstdint>
#include <string_view>

#include "cli/command.h"
#include "cli/target_text.h"

namespace millrace::cli {

void add_queue(CLI::App& parent, Chosen& chosen);

void add_queue_add(CLI::App& parent, Chosen& chosen);
void add_queue_claim(CLI::App& parent, Chosen& chosen);
void add_queue_start(CLI::App& parent, Chosen& chosen);
void add_queue_heartbeat(CLI::App& parent, Chosen& chosen);
void add_queue_complete(CLI::App& parent, Chosen& chosen);
void add_queue_fail(CLI::App& parent, Chosen& chosen);
void add_queue_list(CLI::App& parent, Chosen& chosen);
void add_queue_show(CLI::App& parent, Chosen& chosen);
void add_queue_reset(CLI::App& parent, Chosen& chosen);
void add_queue_stats(CLI::App& parent, Chosen& chosen);

// Of --tags: a text that names none would list everything.
CLI::Validator names_tags();
// The positional ID of a work item.
void add_item_id(CLI::App& command, std::uint64_t& id);
// "/events/7" or "/events/7/complete".
TargetText item_target(std::uint64_t id, std::string_view action = {});

}  // namespace millrace::cli
