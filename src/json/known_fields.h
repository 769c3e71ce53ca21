// Refuses a field that nobody reads: a misspelt one would be left out of what is done, without a word. Pure. The bodies
// of the queue API are not asked: its clients may send more than is read, as S4 lets them.
#pragma once

#include <initializer_list>
#include <string_view>

#include "base/result.h"
#include "json/object_reader.h"

namespace millrace::json {

// Errc::invalid with the path of the first field that is none of `known`; the detail lists those that are. `noun` is
// what has the fields: "a tenant".
Result<void> refuse_unknown(const ObjectReader& in, std::string_view noun,
                            std::initializer_list<std::string_view> known);

}  // namespace millrace::json
