#include "app/serve.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "app/address.h"
#include "app/options.h"
#include "app/server_parts.h"
#include "app/version.h"
#include "base/log.h"
#include "base/unavailable.h"
#include "cli/tls_files.h"
#include "store/store_error.h"

namespace millrace::app {
namespace {

// How often a server that recovers, or waits as a standby, looks whether it is ready.
constexpr timespec kReadyInterval{.tv_sec = 0, .tv_nsec = 5'000'000};
// The same for one that is ready but cannot write (a full disk): somebody has to do something first.
constexpr timespec kWriteInterval{.tv_sec = 1, .tv_nsec = 0};
// Of MILLRACE_ADMIN_KEY, which opens everything: a shorter one can be found by trying.
constexpr std::size_t kAdminKeyCharactersAdvised = 16;

// Of `nohup`: who started it wants it to outlive the terminal.
bool hangup_is_ignored() {
  struct sigaction present{};
  return sigaction(SIGHUP, nullptr, &present) == 0 && present.sa_handler == SIG_IGN;
}

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  if (!hangup_is_ignored()) sigaddset(&signals, SIGHUP);
  return signals;
}

// A signal that run_until_signal() would take as soon as it is there.
bool stop_asked() {
  sigset_t pending;
  sigpending(&pending);
  const auto is_pending = [&](int signal) { return sigismember(&pending, signal) == 1; };
  return is_pending(SIGTERM) || is_pending(SIGINT) || is_pending(SIGHUP);
}

int complain(int code, const std::string& what) {
  fmt::print(stderr, "millrace serve: {}\n", what);
  return code;
}

// What is wrong with the files for TLS, with the option that names the one; before the store is touched.
std::optional<std::string> wrong_tls(const ServeOptions& options) {
  if (options.tls_cert.empty()) return std::nullopt;
  const auto problem = cli::find_tls_problem(options.tls_cert, options.tls_key);
  if (!problem) return std::nullopt;
  const bool key = problem->file == cli::TlsFilesProblem::File::key;
  return fmt::format("{}: {}", named(options.origins, key ? "tls-key" : "tls-cert"), problem->why);
}

// What is allowed and not advised.
void warn_of_risks(const ServeOptions& options, bool local) {
  if (!local && options.tls_cert.empty()) {
    spdlog::warn(R"("msg":"keys travel in the clear: give --tls-cert and --tls-key, or put TLS in front")");
  }
  const std::size_t characters = options.admin_key.size();
  if (options.auth == api::AuthMode::keys && characters > 0 && characters < kAdminKeyCharactersAdvised) {
    spdlog::warn(
        R"("msg":"MILLRACE_ADMIN_KEY has fewer than {} characters: let `openssl rand -hex 32` make a longer one")",
        kAdminKeyCharactersAdvised);
  }
}

// A connection is a file; the usual soft limit of 1024 is there for programs that use select().
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void announce(const ServerParts& parts) {
  fmt::print("ready {}\n", parts.url());
  std::fflush(stdout);
  spdlog::info(R"("msg":"ready","url":"{}","version":"{}")", parts.url(), version());
}

// Waits for readiness and says it, then waits for a signal; one that comes before is enough.
void run_until_signal(ServerParts& parts, const ServeOptions& options, bool wants_keys) {
  const sigset_t signals = stop_signals();
  while (true) {
    const bool recovered = parts.ready();
    if (recovered && parts.register_default_tenant()) break;
    if (sigtimedwait(&signals, nullptr, recovered ? &kWriteInterval : &kReadyInterval) > 0) return;
  }
  // Before the first request: whoever waits for "ready" finds the schemas in force.
  if (!options.schemas.empty()) parts.follow_schemas(options.schemas);
  if (wants_keys && !parts.has_keys()) {
    spdlog::warn(R"("msg":"there is no key yet: make one with `millrace keys create` or set MILLRACE_ADMIN_KEY")");
  }
  announce(parts);
  int signal = 0;
  sigwait(&signals, &signal);
  spdlog::info(R"("msg":"stopping","signal":{})", signal);
}

// From here on a second signal does what it does to any program: it ends this one at once.
void let_signals_through() {
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  const sigset_t signals = stop_signals();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

int run(const ServeOptions& options, const Address& listen, api::AuthMode auth) {
  ServerParts parts(options, listen, auth, open_store(options, listen, stop_asked));
  parts.start();
  run_until_signal(parts, options, auth == api::AuthMode::keys && options.admin_key.empty());
  let_signals_through();
  const bool all_ended = parts.stop(options.drain_timeout);
  spdlog::info(R"("msg":"stopped","cut":{})", !all_ended);
  if (!all_ended) {
    // A request that hangs in the store may still come back to parts that are gone by then.
    flush_log();
    std::_Exit(kExitDone);
  }
  return kExitDone;
}

}  // namespace

int serve(const ServeOptions& options) {
  const std::optional<Address> listen = parse_address(options.listen);
  const std::string listen_name = named(options.origins, "listen");
  if (!listen) return complain(kExitUsage, fmt::format("{}: \"{}\" is not ADDRESS:PORT", listen_name, options.listen));
  const bool local = api::is_loopback(listen->host);
  if (!local && options.auth != api::AuthMode::keys) {
    return complain(kExitUsage, fmt::format("{}: {} can be reached from other machines, so keys are required: --auth "
                                            "keys (or listen on 127.0.0.1)",
                                            listen_name, options.listen));
  }
  if (const auto wrong = wrong_tls(options)) return complain(kExitUsage, *wrong);
  const sigset_t signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  raise_file_limit();
  start_log(options.log_level.c_str());
  warn_of_risks(options, local);
  int code = kExitDone;
  try {
    code = run(options, *listen, options.auth.value_or(api::AuthMode::off));
  } catch (const store::StoreError& error) {
    code = complain(stop_asked() ? kExitDone : kExitUnavailable, error.what());
  } catch (const Unavailable& error) {
    code = complain(kExitUnavailable, error.what());
  } catch (const std::exception& error) {
    code = complain(kExitListen, error.what());
  }
  stop_log();
  return code;
}

}  // namespace millrace::app
