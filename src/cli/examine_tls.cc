#include <fmt/format.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>

#include "cli/examine.h"
#include "cli/tls_files.h"

namespace millrace::cli {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
using Certificate = std::unique_ptr<X509, void (*)(X509*)>;

std::optional<Time> time_of(const ASN1_TIME* stamp) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(stamp, &parts) != 1) return std::nullopt;
  return Time(std::chrono::seconds(::timegm(&parts)));
}

void add_validity(Findings& findings, const std::string& path, Time now) {
  const File file(std::fopen(path.c_str(), "re"), std::fclose);
  if (!file) return;
  const Certificate certificate(PEM_read_X509(file.get(), nullptr, nullptr, nullptr), X509_free);
  if (!certificate) return;
  const auto not_before = time_of(X509_get0_notBefore(certificate.get()));
  const auto not_after = time_of(X509_get0_notAfter(certificate.get()));
  if (not_before && not_after) findings.push_back(judge_validity(*not_before, *not_after, now));
}

bool add_unreadable(Findings& findings, const std::string& path, const char* subject) {
  if (::access(path.c_str(), R_OK) == 0) return false;
  findings.push_back({.verdict = Verdict::fail,
                      .subject = subject,
                      .what = fmt::format("{} cannot be read: {}", path, std::strerror(errno)),
                      .fix = "name the file, or let this user read it"});
  return true;
}

}  // namespace

Findings examine_tls(const std::string& certificate, const std::string& key, Time now) {
  Findings findings;
  const bool no_certificate = add_unreadable(findings, certificate, "TLS certificate");
  const bool no_key = add_unreadable(findings, key, "TLS key");
  struct stat found{};
  if (!no_key && ::stat(key.c_str(), &found) == 0) {
    const bool open = (found.st_mode & 077) != 0;
    findings.push_back({.verdict = open ? Verdict::warn : Verdict::ok,
                        .subject = "TLS key",
                        .what = open
                                    ? fmt::format("{} is open to other users (mode {:04o})", key, found.st_mode & 07777)
                                    : "only its owner can read it",
                        .fix = open ? fmt::format("chmod 600 {}", key) : ""});
  }
  if (no_certificate || no_key) return findings;
  if (const auto problem = find_tls_problem(certificate, key)) {
    findings.push_back({.verdict = Verdict::fail, .subject = "TLS", .what = problem->why, .fix = "mend the files"});
  } else {
    findings.push_back({.subject = "TLS", .what = "certificate and key fit each other"});
  }
  add_validity(findings, certificate, now);
  return findings;
}

}  // namespace millrace::cli
