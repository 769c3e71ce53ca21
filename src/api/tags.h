// Tags as callers write them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace millrace::api {

// The tags of a comma separated text, trimmed, in order, each once; empty ones are dropped.
std::vector<std::string> split_tags(std::string_view text);
std::string join_tags(const std::vector<std::string>& tags);

// Refuses too many tags, a tag that is too long, empty or has a comma or U+0000; the error has this code
// and names `field`.
Result<void> check_tags(const std::vector<std::string>& tags, std::size_t count_max, Errc code,
                        const std::string& field);

// As a lane keeps them.
std::vector<std::string> sorted_tags(std::vector<std::string> tags);

}  // namespace millrace::api
