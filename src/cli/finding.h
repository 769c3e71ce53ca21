// What the doctor found, and the judgements that need nothing but numbers. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace millrace::cli {

enum class Verdict { ok, warn, fail };
std::string_view to_text(Verdict verdict);

struct Finding {
  Verdict verdict = Verdict::ok;
  std::string subject;   // "clock", "disk of ./data"
  std::string what;      // what is so
  std::string fix = {};  // what to do; "" where nothing has to be done
};
using Findings = std::vector<Finding>;

// Every connection and every file of the store takes a descriptor. `soft` can be raised by the server itself up
// to `hard`.
Finding judge_descriptors(std::uint64_t soft, std::uint64_t hard);

// A clock that was never set shows a time before this program was written.
Finding judge_clock(Time now);

// `there` is the server's time in whole seconds, received between `asked` and `answered`.
Finding judge_clock_skew(Time there, Time asked, Time answered);

Finding judge_disk(std::string_view path, std::uint64_t free_bytes, std::uint64_t all_bytes);

// A certificate's first and last moment.
Finding judge_validity(Time not_before, Time not_after, Time now);

// "Sun, 06 Nov 1994 08:49:37 GMT", as in an answer's Date; nullopt for anything else.
std::optional<Time> parse_http_date(std::string_view text);

}  // namespace millrace::cli
