#include "cli/finding.h"

#include <fmt/format.h>

#include <array>
#include <ctime>

#include "store/rocksdb/data_folder.h"

namespace millrace::cli {
namespace {

// The server's default of --connections-max, with room for the files of the store.
constexpr std::uint64_t kDescriptorsWanted = 12'000;
constexpr std::uint64_t kDescriptorsMin = 1'024;
constexpr Time kWritten = Time(std::chrono::sys_days(std::chrono::year(2025) / 1 / 1));
constexpr Millis kSkewMax = std::chrono::seconds(2);
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr auto kRenewBefore = std::chrono::days(21);

std::string size_text(std::uint64_t bytes) {
  return bytes < kGiB ? fmt::format("{} MiB", bytes >> 20)
                      : fmt::format("{:.1f} GiB", static_cast<double>(bytes) / kGiB);
}

}  // namespace

std::string_view to_text(Verdict verdict) {
  constexpr std::array<std::string_view, 3> kNames = {"ok", "warn", "fail"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Finding judge_descriptors(std::uint64_t soft, std::uint64_t hard) {
  Finding finding{.subject = "file descriptors", .what = fmt::format("limit {}, can be raised to {}", soft, hard)};
  if (hard >= kDescriptorsWanted) return finding;
  finding.verdict = hard < kDescriptorsMin ? Verdict::fail : Verdict::warn;
  finding.fix = fmt::format("allow {}: `ulimit -Hn {}`, or LimitNOFILE={} in the systemd unit", kDescriptorsWanted,
                            kDescriptorsWanted, kDescriptorsWanted);
  return finding;
}

Finding judge_clock(Time now) {
  if (now >= kWritten) return {.subject = "clock", .what = format_time(now)};
  return {.verdict = Verdict::fail,
          .subject = "clock",
          .what = fmt::format("{} is in the past", format_time(now)),
          .fix = "set it, and keep it right with NTP (chrony, systemd-timesyncd)"};
}

Finding judge_clock_skew(Time there, Time asked, Time answered) {
  // The header's time is cut to seconds, so the true one is up to a second later.
  const Millis behind = asked - (there + std::chrono::seconds(1));
  const Millis ahead = there - answered;
  Finding finding{.subject = "clock of the server", .what = "agrees with this machine's"};
  if (std::max(behind, ahead) <= kSkewMax) return finding;
  finding.verdict = Verdict::warn;
  finding.what = fmt::format("is {} {} this machine's", format_duration(std::max(behind, ahead)),
                             behind > ahead ? "behind" : "ahead of");
  finding.fix = "keep both right with NTP (chrony, systemd-timesyncd)";
  return finding;
}

Finding judge_disk(std::string_view path, std::uint64_t free_bytes, std::uint64_t all_bytes) {
  Finding finding{.subject = fmt::format("disk of {}", path),
                  .what = fmt::format("{} free of {}", size_text(free_bytes), size_text(all_bytes))};
  if (free_bytes < store::rocks::kFreeBytesMin) {
    finding.verdict = Verdict::fail;
    finding.fix =
        fmt::format("make room: below {} the server refuses to write", size_text(store::rocks::kFreeBytesMin));
  } else if (free_bytes < kGiB || free_bytes < all_bytes / 20) {
    finding.verdict = Verdict::warn;
    finding.fix = "make room, or keep finished items for a shorter time (--queue-retention)";
  }
  return finding;
}

Finding judge_validity(Time not_before, Time not_after, Time now) {
  Finding finding{.subject = "TLS certificate", .what = fmt::format("valid until {}", format_time(not_after))};
  if (not_after <= now) {
    finding.verdict = Verdict::fail;
    finding.what = fmt::format("expired at {}", format_time(not_after));
    finding.fix = "renew it";
  } else if (not_before > now) {
    finding.verdict = Verdict::fail;
    finding.what = fmt::format("is not valid before {}", format_time(not_before));
    finding.fix = "use one that is valid now, or set this machine's clock";
  } else if (not_after - now < kRenewBefore) {
    finding.verdict = Verdict::warn;
    finding.fix = "renew it soon";
  }
  return finding;
}

std::optional<Time> parse_http_date(std::string_view text) {
  std::tm parts{};
  const std::string copy(text);
  const char* end = ::strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return Time(std::chrono::seconds(::timegm(&parts)));
}

}  // namespace millrace::cli
