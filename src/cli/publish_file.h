// A file of events: one JSON document (an event or an array of them), or JSON lines. Which of them it is, the
// first line tells.
#pragma once

#include "cli/input.h"
#include "cli/publish_events.h"

namespace millrace::cli {

// Adds every event to `publisher`, with the line it begins on. JSON lines are read as they come, whatever their
// number; a line that is no JSON is refused and the others go on. Throws Failure{refused} for a single document
// that is no JSON.
void publish_input(Input& input, Publisher& publisher);

}  // namespace millrace::cli
