#include "http/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/assert.h"

namespace millrace::http {

const std::string& Request::param(std::string_view name) const {
  const auto found = std::ranges::find(params, name, [](const auto& p) { return p.first; });
  MR_ASSERT(found != params.end(), "the endpoint's path has this parameter");
  return found->second;
}

Result<std::optional<std::string>> Request::query(std::string_view name) const {
  const std::string* found = nullptr;
  for (const auto& [key, value] : target.query) {
    if (key != name) continue;
    if (found != nullptr) return fail(Errc::bad_query, fmt::format("{} is given twice", name), std::string(name));
    found = &value;
  }
  return found == nullptr ? std::nullopt : std::optional(*found);
}

Result<std::int64_t> Request::query_int(std::string_view name, std::int64_t min, std::int64_t max,
                                        std::int64_t otherwise) const {
  auto text = query(name);
  if (!text) return std::unexpected(std::move(text).error());
  if (!*text) return otherwise;
  std::int64_t value = 0;
  const char* end = (*text)->data() + (*text)->size();
  const auto [stopped, error] = std::from_chars((*text)->data(), end, value);
  if (error != std::errc() || stopped != end || value < min || value > max)
    return fail(Errc::bad_query, fmt::format("{} must be a whole number from {} to {}", name, min, max),
                std::string(name));
  return value;
}

}  // namespace millrace::http
