// Reads an ECMA-262 regular expression (`u` flag) and writes the same expression for RE2. Pure.
#pragma once

#include <string>
#include <string_view>

namespace millrace::registry::json_schema {

struct Translation {
  enum class Verdict { translated, unsupported, malformed };
  Verdict verdict = Verdict::translated;
  std::string expression;  // for RE2; empty unless translated
  std::string problem;     // why not
};

// REQUIRES: valid UTF-8.
Translation translate_ecma(std::string_view source);

}  // namespace millrace::registry::json_schema
