#include "app/version.h"

namespace millrace::app {

std::string_view version() { return MILLRACE_VERSION; }

}  // namespace millrace::app
