// Times as RFC 3339 writes them. Pure.
#pragma once

#include <string_view>

namespace millrace::registry::json_schema {

bool is_date(std::string_view text);
bool is_time(std::string_view text);  // with offset; second 60 only where a leap second can be
bool is_date_time(std::string_view text);
bool is_duration(std::string_view text);

}  // namespace millrace::registry::json_schema
