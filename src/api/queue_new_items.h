// The body of POST /events as new items: what is allowed in it, and what a refusal names (S4.1, S4.12). Pure.
#pragma once

#include <string>
#include <vector>

#include "api/queue_settings.h"
#include "base/result.h"
#include "json/object_reader.h"
#include "shard/command.h"

namespace millrace::api {

struct CreateRequest {
  std::vector<shard::NewItem> items;
  bool is_array = false;
};

// One item, or an array of them. Errc::invalid names the field ("[3].title"); Errc::too_large says the
// payload's limit and size.
Result<CreateRequest> read_create(json::Value body, const QueueSettings& settings, Time now);

// The field `tags`: a comma separated string or an array of strings; empty if absent.
Result<std::vector<std::string>> read_tags(const json::ObjectReader& body, std::size_t count_max);

}  // namespace millrace::api
