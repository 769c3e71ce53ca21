// Rows in aligned columns, for people. One thread. Long listings are rendered page by page: the widths of the
// earlier pages are kept, the header is printed once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/terminal.h"

namespace millrace::cli {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  bool flexible = false;  // gives way first where the terminal is too narrow
};

struct Cell {
  Cell(std::string t, Colour c = Colour::plain) : text(std::move(t)), colour(c) {}  // NOLINT: a text is a cell
  std::string text;                                                                 // made printable when added
  Colour colour;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns);

  // REQUIRES: a cell a column.
  void add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }

  // The rows added since the last call, one a line; the first time below their header. No line is wider than
  // the terminal.
  std::string render(const Terminal& terminal);

 private:
  std::vector<std::size_t> fitted_widths(const Terminal& terminal) const;
  std::string line(const std::vector<Cell>& row, const std::vector<std::size_t>& widths,
                   const Terminal& terminal) const;

  std::vector<Column> columns_;
  std::vector<std::size_t> natural_;  // widest cell so far, title included
  std::vector<std::vector<Cell>> rows_;
  bool begun_ = false;
};

// Names and values below each other: "id      7". Empty values are left out.
std::string render_fields(const std::vector<std::pair<std::string, Cell>>& fields, const Terminal& terminal);

}  // namespace millrace::cli
