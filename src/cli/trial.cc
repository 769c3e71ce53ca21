#include "cli/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/answer.h"
#include "cli/table.h"

namespace millrace::cli {
namespace {

// "/data/amount: must be a number" of the first violation.
std::string why(json::Value event) {
  const auto violations = elements_of(event, "violations");
  if (violations.empty()) return "";
  return fmt::format("{}: {}", text_of(violations.front(), "pointer"), text_of(violations.front(), "message"));
}

std::string render_sample(const std::vector<json::Value>& sample, const Terminal& terminal) {
  const bool reasons = std::ranges::any_of(sample, [](json::Value event) { return !why(event).empty(); });
  std::vector<Column> columns = {{.title = "EVENT ID", .flexible = true},
                                 {.title = "TIME"},
                                 {.title = "TYPE"},
                                 {.title = "SUBJECT", .flexible = true}};
  if (reasons) columns.push_back({.title = "WHY", .flexible = true});
  Table table(columns);
  for (const json::Value event : sample) {
    std::vector<Cell> row = {text_of(event, "eventId"), Cell(text_of(event, "time"), Colour::dim),
                             Cell(text_of(event, "type"), Colour::blue), text_of(event, "subject")};
    if (reasons) row.emplace_back(why(event));
    table.add(std::move(row));
  }
  return table.empty() ? "" : table.render(terminal);
}

}  // namespace

void print_trial(json::Value trial, std::string_view count, std::string_view outcome, Session& session) {
  const auto sample = elements_of(trial, "sample");
  session.out << render_sample(sample, session.out_terminal);
  const std::int64_t found = number_of(trial, count).value_or(0);
  const std::int64_t scanned = number_of(trial, "scanned").value_or(0);
  session.out << fmt::format("{} of {} stored {} would {}\n", found, scanned, scanned == 1 ? "event" : "events",
                             outcome);
  if (found > static_cast<std::int64_t>(sample.size())) {
    session.err << fmt::format("only the newest {} are shown\n", sample.size());
  }
  if (const std::int64_t skipped = number_of(trial, "skipped").value_or(0); skipped > 0) {
    session.err << fmt::format("{} large {} not judged: the data is in the blob store\n", skipped,
                               skipped == 1 ? "event was" : "events were");
  }
  if (text_of(trial, "complete") == "false") {
    session.err << "older events were not looked at (--to looks at them)\n";
  }
}

}  // namespace millrace::cli
