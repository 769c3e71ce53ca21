// What a store has to tell its operator about itself and what it stands on.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace millrace::store {

enum class Severity {
  warning,  // works, and should be mended
  fault,    // cannot be used, or breaks the promise that what was acknowledged is on disk
};

struct Finding {
  Severity severity = Severity::warning;
  std::string text;
};
using Findings = std::vector<Finding>;

inline Finding warning(std::string text) { return {Severity::warning, std::move(text)}; }
inline Finding fault(std::string text) { return {Severity::fault, std::move(text)}; }

}  // namespace millrace::store
