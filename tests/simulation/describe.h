// Commands, answers and writes as one line of text each: for the trace, for messages, and for the
// digest by which two runs of a seed are compared.
#pragma once

#include <string>

#include "queue/item.h"
#include "shard/batch.h"
#include "shard/command.h"
#include "shard/facts.h"
#include "shard/shard.h"

namespace millrace::simulation {

std::string describe(Time time);
std::string describe(const queue::ItemRecord& record);
std::string describe(const queue::LogEntry& entry);
std::string describe(const event::Record& event);
std::string describe(const shard::Command& command);
std::string describe(const shard::Reply& reply);
std::string describe(const shard::Need& need);
// Every write on a line of its own.
std::string describe(const shard::Batch& batch);

}  // namespace millrace::simulation
