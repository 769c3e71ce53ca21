// Whether the files for TLS can be used, said so that somebody can mend them. Reads the files; never asks for a
// passphrase, since a server has nobody to ask.
#pragma once

#include <optional>
#include <string>

namespace millrace::cli {

struct TlsFilesProblem {
  enum class File { certificate, key };
  File file = File::certificate;
  std::string why;  // "x.pem holds no certificate in PEM"
};

// The first thing that is wrong; nullopt if a server can start with them.
std::optional<TlsFilesProblem> find_tls_problem(const std::string& certificate, const std::string& key);

}  // namespace millrace::cli
