// Bytes of HTTP/1.1 as this generator needs them: whole requests out, answers with a Content-Length in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace millrace::load {

void append_get(std::string& out, std::string_view target);
void append_post(std::string& out, std::string_view target, std::string_view json);

struct Answer {
  int status = 0;
  std::string_view body;
  bool closes = false;  // the server ends the connection after it
};

enum class Progress { incomplete, complete, malformed };

// Looks for one whole answer at the front of `bytes`. On complete, fills `answer` with views into
// `bytes` and sets `used`.
Progress read_answer(std::string_view bytes, Answer& answer, std::size_t& used);

}  // namespace millrace::load
