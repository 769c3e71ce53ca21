#include "cli/pages.h"

#include "base/limits.h"
#include "cli/answer.h"
#include "json/writer.h"

namespace millrace::cli {

void for_each_item(Api& api, const TargetText& listing, const std::function<void(json::Value)>& take) {
  std::string cursor;
  do {
    TargetText target = listing;
    target.with("limit", limits::kListLimitMax);
    if (!cursor.empty()) target.with("cursor", cursor);
    const json::Document page = accepted(api.call({.target = target.text()}));
    const std::optional<json::Value> items = page.root().find("items");
    if (!items || !items->is(json::Kind::array)) return;
    for (const json::Value item : items->elements()) take(item);
    cursor = text_of(page.root(), "nextCursor");
  } while (!cursor.empty());
}

std::string all_items(Api& api, const TargetText& listing) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.key("items");
  out.begin_array();
  for_each_item(api, listing, [&](json::Value item) { out.compact(item); });
  out.end_array();
  out.end_object();
  return text;
}

}  // namespace millrace::cli
