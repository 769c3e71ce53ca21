#include "api/page.h"

#include "api/cursor.h"
#include "api/first_error.h"
#include "api/query.h"
#include "base/limits.h"

namespace millrace::api {

Result<Page> read_page(const http::Request& request, std::string_view listing) {
  const Query query(request.target.query);
  FirstError error;
  Page page;
  page.limit = error.take(query.number("limit", 1, limits::kListLimitMax)).value_or(page.limit);
  const std::optional<std::string> cursor = error.take(query.text("cursor", kCursorBytesMax));
  if (error.failed()) return error.give();
  if (!cursor) return page;
  page.after = read_cursor(listing, *cursor);
  if (!page.after) return fail(Errc::bad_query, "query parameter \"cursor\" is none that this listing gave", "cursor");
  return page;
}

void write_next_cursor(json::Writer& out, std::string_view listing, const std::optional<std::string>& last) {
  out.key("nextCursor");
  last ? out.string(make_cursor(listing, *last)) : out.null();
}

}  // namespace millrace::api
