#include "queue/item.h"

#include <array>
#include <string_view>

namespace millrace::queue {
namespace {

constexpr std::array<std::string_view, kStatuses> kStatusNames = {"PENDING", "PROCESSING", "COMPLETED", "FAILED",
                                                                  "CANCELLED"};
constexpr std::array<std::string_view, 8> kActionNames = {"PICKED",    "STARTED", "COMPLETED", "FAILED",
                                                          "TIMED_OUT", "RESET",   "RELEASED",  "CANCELLED"};

template <class Enum, std::size_t N>
std::optional<Enum> find_name(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view action_name(Action action) { return kActionNames[static_cast<std::size_t>(action)]; }
std::string_view status_name(Status status) { return kStatusNames[static_cast<std::size_t>(status)]; }
std::optional<Status> parse_status(std::string_view name) { return find_name<Status>(kStatusNames, name); }
std::optional<Action> parse_action(std::string_view name) { return find_name<Action>(kActionNames, name); }

}  // namespace millrace::queue
