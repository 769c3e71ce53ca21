// The version of this program, as CMake's project() says it.
#pragma once

#include <string_view>

namespace millrace::app {

std::string_view version();

}  // namespace millrace::app
