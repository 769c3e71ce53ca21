#include "cli/verdict.h"

#include <fmt/format.h>

#include "cli/answer.h"

namespace millrace::cli {

bool matches(json::Value verdict) {
  const std::optional<json::Value> member = verdict.find("matches");
  return member && member->is(json::Kind::boolean) && member->get_bool();
}

Cell verdict_cell(json::Value verdict) {
  return matches(verdict) ? Cell("yes", Colour::green) : Cell("no", Colour::yellow);
}

std::string first_reason(json::Value verdict) {
  const auto reasons = elements_of(verdict, "why");
  if (reasons.empty()) return "";
  const std::string more = reasons.size() > 1 ? fmt::format(" (and {} more)", reasons.size() - 1) : "";
  return fmt::format("{}: expected {}, seen {}{}", text_of(reasons.front(), "path"),
                     text_of(reasons.front(), "expected"), text_of(reasons.front(), "seen"), more);
}

std::string render_reasons(json::Value verdict, const Terminal& terminal) {
  Table table({{"FIELD"}, {"EXPECTED", Align::left, true}, {"SEEN", Align::left, true}});
  for (const json::Value reason : elements_of(verdict, "why")) {
    table.add({text_of(reason, "path"), text_of(reason, "expected"), text_of(reason, "seen")});
  }
  return table.empty() ? "" : table.render(terminal);
}

}  // namespace millrace::cli
