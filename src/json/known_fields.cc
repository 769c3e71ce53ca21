#include "json/known_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace millrace::json {

Result<void> refuse_unknown(const ObjectReader& in, std::string_view noun,
                            std::initializer_list<std::string_view> known) {
  const auto unknown = in.unknown_keys(known);
  if (unknown.empty()) return {};
  return fail(Errc::invalid,
              fmt::format("{} has no field \"{}\"; it has {}", noun, unknown.front(), fmt::join(known, ", ")),
              in.path_of(unknown.front()));
}

}  // namespace millrace::json
