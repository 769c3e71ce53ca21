// "key=value" as options give it. Pure.
#pragma once

#include <string>
#include <utility>

namespace millrace::cli {

// Split at the first "=". Throws Failure{usage} that names `option` where there is none, or no key before it.
std::pair<std::string, std::string> split_pair(const std::string& text, const std::string& option);

}  // namespace millrace::cli
