#include "cli/tls_files.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "http/tls.h"

namespace millrace::cli {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
using Certificate = std::unique_ptr<X509, void (*)(X509*)>;
using Key = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;

// Called where a passphrase is needed; none is given, which ends the reading.
int note_passphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

std::optional<std::string> unreadable(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) return fmt::format("{} is a folder", path);
  const File file(std::fopen(path.c_str(), "re"), std::fclose);
  if (file) return std::nullopt;
  return fmt::format("{} cannot be read: {}", path, std::strerror(errno));
}

Certificate read_certificate(const std::string& path) {
  const File file(std::fopen(path.c_str(), "re"), std::fclose);
  return {file ? PEM_read_X509(file.get(), nullptr, nullptr, nullptr) : nullptr, X509_free};
}

Key read_key(const std::string& path, bool& asked) {
  const File file(std::fopen(path.c_str(), "re"), std::fclose);
  return {file ? PEM_read_PrivateKey(file.get(), nullptr, note_passphrase, &asked) : nullptr, EVP_PKEY_free};
}

std::optional<std::string> wrong_certificate(const std::string& path) {
  if (auto why = unreadable(path)) return why;
  if (read_certificate(path)) return std::nullopt;
  return fmt::format("{} holds no certificate in PEM", path);
}

// REQUIRES: the certificate can be read.
std::optional<std::string> wrong_key(const std::string& path, const std::string& certificate) {
  if (auto why = unreadable(path)) return why;
  bool asked = false;
  const Key key = read_key(path, asked);
  if (asked) {
    return fmt::format(
        "{} is encrypted, and nobody is there to be asked for the passphrase: `openssl pkey -in {} -out "
        "PLAIN` makes one without",
        path, path);
  }
  if (!key) return fmt::format("{} holds no private key in PEM", path);
  if (X509_check_private_key(read_certificate(certificate).get(), key.get()) == 1) return std::nullopt;
  return fmt::format("{} does not belong to the certificate {}", path, certificate);
}

}  // namespace

std::optional<TlsFilesProblem> find_tls_problem(const std::string& certificate, const std::string& key) {
  std::optional<TlsFilesProblem> problem;
  if (auto why = wrong_certificate(certificate)) {
    problem = TlsFilesProblem{TlsFilesProblem::File::certificate, *std::move(why)};
  } else if (auto unfit = wrong_key(key, certificate)) {
    problem = TlsFilesProblem{TlsFilesProblem::File::key, *std::move(unfit)};
  } else {
    try {
      http::load_tls({.certificate = certificate, .key = key});
    } catch (const std::exception& error) {
      // Such as a chain that breaks off, or a key too short for this OpenSSL; it begins with the file.
      const bool chain = std::string_view(error.what()).starts_with(fmt::format("TLS: {}:", certificate));
      problem = TlsFilesProblem{chain ? TlsFilesProblem::File::certificate : TlsFilesProblem::File::key, error.what()};
    }
  }
  ERR_clear_error();
  return problem;
}

}  // namespace millrace::cli
