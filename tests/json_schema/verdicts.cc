// Reads cases as lines of JSON, {"draft": "2020-12" or "07", "schema": …, "values": […]}, and answers each with a line:
// a letter a value (V valid, I invalid), or "refused: why". For judge_test.py.
#include <cstdio>
#include <iostream>
#include <string>

#include "json/parse.h"
#include "registry/json_schema/schema.h"

namespace {

using namespace millrace;
using registry::json_schema::CompileOptions;
using registry::json_schema::Draft;
using registry::json_schema::Schema;

std::string verdicts(json::Value test) {
  CompileOptions options;
  if (test.find("draft")->equals("07")) options.default_draft = Draft::draft07;
  const auto schema = Schema::compile(*test.find("schema"), options);
  if (!schema) return "refused: " + schema.error().field + ": " + schema.error().detail;
  std::string letters;
  for (const json::Value value : test.find("values")->elements()) letters += (*schema)->is_valid(value) ? 'V' : 'I';
  return letters;
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto test = json::parse(line);
    if (!test) {
      std::fprintf(stderr, "no JSON: %s\n", line.c_str());
      return 2;
    }
    std::cout << verdicts(test->root()) << '\n';
  }
  return 0;
}
