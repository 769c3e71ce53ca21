// `millrace serve`: builds the server from its parts, runs it until a signal, and takes it down in order. The only
// place that names concrete stores.
#pragma once

#include "app/serve_options.h"

namespace millrace::app {

// Blocks until the server has stopped; the exit code (see options.h). Call it from main's thread, before any
// other thread exists: it blocks the signals for all of them.
int serve(const ServeOptions& options);

}  // namespace millrace::app
