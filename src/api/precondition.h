// If-Match and If-None-Match (RFC 9110): a write that only holds for the version its author has seen. The ETag of a
// document is its version in quotes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace millrace::api {

class Precondition {
 public:
  // The values of the two headers. Errc::bad_query for what is neither * nor a list of quoted versions.
  static Result<Precondition> parse(std::optional<std::string_view> if_match,
                                    std::optional<std::string_view> if_none_match);

  // Errc::stale_version where it does not hold for the present version; nullopt = there is no document. `what` names
  // it in the message: `rule "x"`.
  Result<void> check(std::optional<std::uint64_t> present, std::string_view what) const;

  // Whether a reader who sends this has the present version already: 304.
  bool has_seen(std::uint64_t present) const { return if_none_match_ && if_none_match_->covers(present); }

  // Whether there is one at all. Without one the last write wins.
  bool given() const { return if_match_ || if_none_match_; }

 private:
  struct Tags {
    bool any = false;
    std::vector<std::uint64_t> versions;

    bool covers(std::uint64_t version) const;
  };
  static Result<std::optional<Tags>> parse_tags(std::string_view name, std::optional<std::string_view> value);

  std::optional<Tags> if_match_;
  std::optional<Tags> if_none_match_;
};

// "\"3\"".
std::string etag_of(std::uint64_t version);

}  // namespace millrace::api
