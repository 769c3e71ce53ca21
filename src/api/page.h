// Which page of a listing under /api is asked for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/request.h"
#include "json/writer.h"

namespace millrace::api {

// A page of a listing ends here, with a cursor, though more entries were asked for: what one answer holds in memory.
inline constexpr std::size_t kPageBytesMax = 8 * 1024 * 1024;

struct Page {
  std::size_t limit = 50;
  std::optional<std::string> after;  // where the last page ended
};
// `limit` and `cursor`. Errc::bad_query.
Result<Page> read_page(const http::Request& request, std::string_view listing);

// Ends a listing: "nextCursor", null where there is nothing more.
void write_next_cursor(json::Writer& out, std::string_view listing, const std::optional<std::string>& last);

}  // namespace millrace::api
