// Text that an option names instead of containing: a file, or standard input.
#pragma once

#include <fstream>
#include <istream>
#include <string>

namespace millrace::cli {

// A stream to read lines from: "-" is `in`, anything else a file. Throws Failure{usage} for a file that
// cannot be opened.
class Input {
 public:
  Input(const std::string& name, std::istream& in);
  std::istream& stream() { return *stream_; }
  // "standard input" or the file's name, for messages.
  const std::string& name() const { return name_; }

 private:
  std::ifstream file_;
  std::istream* stream_;
  std::string name_;
};

// All of a file, or of `in` for "-": JSON, checked and made compact. Throws Failure{usage} where it cannot be read or
// is no JSON.
std::string read_json_file(const std::string& name, std::istream& in);

// JSON|@FILE|-: the text itself, a file's, or all of `in`; checked and made compact. `option` is to blame
// where it is no JSON: Failure{usage}.
std::string read_json_option(const std::string& value, const std::string& option, std::istream& in);

}  // namespace millrace::cli
