// Listings under /api: pages of {"items", "nextCursor"}, fetched to the end.
#pragma once

#include <functional>
#include <string>

#include "cli/api.h"
#include "cli/target_text.h"
#include "json/value.h"

namespace millrace::cli {

// Calls `take` with each element, in order. REQUIRES: `listing` has neither limit nor cursor. Throws Failure as
// accepted() does.
void for_each_item(Api& api, const TargetText& listing, const std::function<void(json::Value)>& take);

// All elements as one document, {"items": […]}.
std::string all_items(Api& api, const TargetText& listing);

}  // namespace millrace::cli
