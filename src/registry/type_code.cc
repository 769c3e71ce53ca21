#include "registry/type_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "registry/bounds.h"

namespace millrace::registry {
namespace {

constexpr std::string_view kWorkflowTitles[] = {
    "Task Pending",
    "Task Processing Started",
    "Task Heartbeat",
    "Task Completed",
    "Task Processing Failed",
    "Task Failed",
    "Task Timeout",
    "Task Cancelled",
    "Job Created",
    "Job Tasks Added",
    "Job Completed",
    "Job Failure Detected",
    "Job Cancelled",
    "Job Resumed",
    "Task Health Check",
};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_segment_char(char c) { return is_upper(c) || is_lower(c) || is_digit(c) || c == '_' || c == '-'; }

bool is_segment(std::string_view text) {
  return !text.empty() && (is_upper(text[0]) || is_lower(text[0]) || is_digit(text[0])) &&
         std::ranges::all_of(text, is_segment_char);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == text.npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::unexpected<Error> refuse(std::string detail) { return fail(Errc::invalid, std::move(detail), "code"); }

Result<CodeForm> check_segments(std::string_view code, char separator, CodeForm form) {
  const auto segments = split(code, separator);
  if (form == CodeForm::colon && segments.size() != 4) {
    return refuse(fmt::format("\"{}\" has {} segments; with colons a code is application:subdomain:aggregate:event",
                              code, segments.size()));
  }
  for (const std::string_view segment : segments) {
    if (is_segment(segment)) continue;
    return refuse(fmt::format("segment \"{}\" of \"{}\" is not made of letters, digits, _ and -", segment, code));
  }
  return form;
}

bool is_upper_code(std::string_view code) {
  return is_upper(code[0]) && code.find('_') != code.npos &&
         std::ranges::all_of(code, [](char c) { return is_upper(c) || is_digit(c) || c == '_'; });
}

}  // namespace

bool is_workflow_title(std::string_view type) {
  return std::ranges::find(kWorkflowTitles, type) != std::end(kWorkflowTitles);
}

Result<CodeForm> parse_code(std::string_view code) {
  if (code.empty()) return refuse("must not be empty");
  if (code.size() > kCodeBytesMax) return refuse(fmt::format("is longer than {} bytes", kCodeBytesMax));
  if (is_workflow_title(code)) return CodeForm::title;
  if (code.find(':') != code.npos) return check_segments(code, ':', CodeForm::colon);
  if (code.find('.') != code.npos) return check_segments(code, '.', CodeForm::dotted);
  if (is_upper_code(code)) return CodeForm::upper;
  return refuse(fmt::format(
      "\"{}\" is neither application:subdomain:aggregate:event nor aggregate.action nor DOMAIN_ACTION", code));
}

}  // namespace millrace::registry
