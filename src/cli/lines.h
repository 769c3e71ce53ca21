// Texts of several lines, each made safe for a terminal.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"
#include "json/value.h"

namespace millrace::cli {

// Every line of the text behind `indent`.
void print_lines(const std::string& text, std::string_view indent, Session& session);

// The name, and the value below it, a member or an element a line.
void print_block(std::string_view name, json::Value value, Session& session);
// The same for a text: as JSON where it is that.
void print_block(std::string_view name, const std::string& text, Session& session);

}  // namespace millrace::cli
