#include "blob/mark.h"

namespace millrace::blob {
namespace {

constexpr std::size_t kShownMax = 64;

}  // namespace

std::string mark_text(std::string_view installation) { return std::string(installation) + "\n"; }

std::string installation_in(std::string_view mark) {
  std::string shown;
  for (const char c : mark.substr(0, mark.find('\n')).substr(0, kShownMax)) shown += c > ' ' && c < 0x7f ? c : '?';
  return shown.empty() ? "(unreadable)" : shown;
}

}  // namespace millrace::blob
