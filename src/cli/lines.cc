#include "cli/lines.h"

#include <ostream>
#include <sstream>

#include "cli/answer.h"
#include "cli/printable.h"
#include "json/parse.h"

namespace millrace::cli {

void print_lines(const std::string& text, std::string_view indent, Session& session) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) session.out << indent << printable(line) << "\n";
}

void print_block(std::string_view name, json::Value value, Session& session) {
  session.out << paint(printable(name), Colour::dim, session.out_terminal) << "\n";
  print_lines(indented(value), "  ", session);
}

void print_block(std::string_view name, const std::string& text, Session& session) {
  if (const auto document = json::parse(text)) {
    print_block(name, document->root(), session);
    return;
  }
  session.out << paint(printable(name), Colour::dim, session.out_terminal) << "\n";
  print_lines(text, "  ", session);
}

}  // namespace millrace::cli
