#include "cli/table.h"

#include <algorithm>
#include <numeric>

#include "base/assert.h"
#include "cli/printable.h"

namespace millrace::cli {
namespace {

constexpr std::size_t kGap = 2;          // between columns
constexpr std::size_t kFlexibleMin = 8;  // a flexible column is cut no shorter while others can be

// Takes `excess` columns from the widest of those that may give, evenly.
void shrink(std::vector<std::size_t>& widths, const std::vector<bool>& gives, std::size_t least, std::size_t excess) {
  for (; excess > 0; --excess) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (gives[i] && widths[i] > least && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

std::size_t line_width(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  MR_ASSERT(!columns_.empty(), "a table has columns");
  for (const Column& column : columns_) natural_.push_back(width_of(column.title));
}

void Table::add(std::vector<Cell> row) {
  MR_ASSERT(row.size() == columns_.size(), "a row has a cell for every column");
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i].text = printable(row[i].text);
    natural_[i] = std::max(natural_[i], width_of(row[i].text));
  }
  rows_.push_back(std::move(row));
}

std::vector<std::size_t> Table::fitted_widths(const Terminal& terminal) const {
  std::vector<std::size_t> widths = natural_;
  const auto excess = [&] {
    const std::size_t line = line_width(widths);
    return terminal.width == 0 || line <= terminal.width ? 0 : line - terminal.width;
  };
  std::vector<bool> flexible;
  flexible.reserve(columns_.size());
  for (const Column& column : columns_) flexible.push_back(column.flexible);
  shrink(widths, flexible, kFlexibleMin, excess());
  shrink(widths, std::vector<bool>(widths.size(), true), 1, excess());
  return widths;
}

std::string Table::line(const std::vector<Cell>& row, const std::vector<std::size_t>& widths,
                        const Terminal& terminal) const {
  std::string out;
  std::size_t used = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::size_t gap = i == 0 ? 0 : kGap;
    if (terminal.width != 0 && used + gap + widths[i] > terminal.width) break;  // no room even for one letter each
    const std::string text = cut_to(row[i].text, widths[i]);
    const std::size_t pad = widths[i] - width_of(text);
    const bool right = columns_[i].align == Align::right;
    out.append(gap + (right ? pad : 0), ' ');
    out += text.empty() ? text : paint(text, row[i].colour, terminal);
    if (!right) out.append(pad, ' ');
    used += gap + widths[i];
  }
  out.erase(out.find_last_not_of(' ') + 1);
  out.push_back('\n');
  return out;
}

std::string Table::render(const Terminal& terminal) {
  const std::vector<std::size_t> widths = fitted_widths(terminal);
  std::string out;
  if (!begun_) {
    std::vector<Cell> titles;
    titles.reserve(columns_.size());
    for (const Column& column : columns_) titles.emplace_back(column.title, Colour::bold);
    out += line(titles, widths, terminal);
    begun_ = true;
  }
  for (const std::vector<Cell>& row : rows_) out += line(row, widths, terminal);
  rows_.clear();
  return out;
}

std::string render_fields(const std::vector<std::pair<std::string, Cell>>& fields, const Terminal& terminal) {
  std::size_t names = 0;
  for (const auto& field : fields) names = std::max(names, width_of(field.first));
  std::string out;
  for (const auto& [name, value] : fields) {
    if (value.text.empty()) continue;
    out += paint(name, Colour::dim, terminal);
    out.append(names - width_of(name) + kGap, ' ');
    out += paint(printable(value.text), value.colour, terminal) + "\n";
  }
  return out;
}

}  // namespace millrace::cli
