#include "cli/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/examine.h"
#include "cli/printable.h"
#include "json/writer.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  std::optional<std::string> data;
  std::optional<std::string> store;
  std::optional<std::string> blobs;
  std::optional<std::string> tls_cert;
  std::optional<std::string> tls_key;
};

std::optional<std::string> either(const std::optional<std::string>& given, const char* variable,
                                  const Session& session) {
  const char* value = session.environment(variable);
  return given || value == nullptr || *value == '\0' ? given : value;
}

void append(Findings& findings, Findings&& more) { std::ranges::move(more, std::back_inserter(findings)); }

// An unset variable of a shell would have something else examined than what is meant.
void require_named(const std::optional<std::string>& given, const char* option) {
  if (given && given->empty()) throw Failure(Exit::usage, std::string(option) + " must not be empty");
}

// A line each so many bytes, so that a long wait has an explanation; nothing where it is short.
store::JournalProgress tell_progress(std::ostream& err) {
  constexpr std::uint64_t kStep = std::uint64_t{256} << 20;
  return [&err, told = std::uint64_t{0}](std::uint64_t done, std::uint64_t all) mutable {
    if (all < kStep || done < told + kStep) return;
    told = done;
    err << fmt::format("the journal: {} of {} MiB read\n", done >> 20, all >> 20);
  };
}

// What a store keeps outside of itself, and whether that is its own.
void examine_places(const std::string& data, const std::string& store, const Options& options, Session& session,
                    Findings& findings) {
  const auto installation = examine_installation(data, store, findings);
  const std::string blobs = either(options.blobs, "MILLRACE_BLOBS", session).value_or("");
  const bool in_a_table = !store.empty() && (blobs.empty() || blobs == "postgres");
  if (!in_a_table) append(findings, examine_blobs(blobs, data, installation, session.environment));
}

Findings examine(const Options& options, Session& session) {
  require_named(options.data, "--data");
  require_named(options.store, "--store");
  require_named(options.blobs, "--blobs");
  const SystemClock clock;
  Findings findings = examine_machine(clock.now());
  if (const auto data = either(options.data, "MILLRACE_DATA", session)) {
    append(findings, examine_data(*data, tell_progress(session.err)));
    examine_places(*data, "", options, session, findings);
  }
  if (const auto store = either(options.store, "MILLRACE_STORE", session)) {
    append(findings, examine_postgres(*store));
    examine_places("", *store, options, session, findings);
  }
  const auto certificate = either(options.tls_cert, "MILLRACE_TLS_CERT", session);
  const auto key = either(options.tls_key, "MILLRACE_TLS_KEY", session);
  if (certificate.has_value() != key.has_value()) {
    throw Failure(Exit::usage, "--tls-cert and --tls-key go together (name both files)");
  }
  if (certificate) append(findings, examine_tls(*certificate, *key, clock.now()));
  if (either(options.where.server, "MILLRACE_SERVER", session)) {
    const Place place = resolve(options.where, session.environment);
    append(findings, examine_server(*session.connect(place), place, clock));
  }
  return findings;
}

void print_json(const Findings& findings, bool healthy, Session& session) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.member("ok", healthy);
  out.key("findings");
  out.begin_array();
  for (const Finding& finding : findings) {
    out.begin_object();
    out.member("verdict", to_text(finding.verdict));
    out.member("subject", finding.subject);
    out.member("what", finding.what);
    out.member("fix", finding.fix);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  session.out << text << "\n";
}

// Not a table: nothing of what is wrong may be cut.
void print(const Findings& findings, Session& session) {
  for (const Finding& finding : findings) {
    const Colour colours[] = {Colour::green, Colour::yellow, Colour::red};
    std::string verdict(to_text(finding.verdict));
    verdict.resize(4, ' ');
    session.out << paint(verdict, colours[static_cast<std::size_t>(finding.verdict)], session.out_terminal) << "  "
                << printable(finding.subject) << ": " << printable(finding.what);
    if (!finding.fix.empty()) session.out << "; to do: " << printable(finding.fix);
    session.out << "\n";
  }
}

Exit run(const Options& options, Session& session) {
  const Findings findings = examine(options, session);
  const bool healthy = std::ranges::none_of(findings, [](const Finding& f) { return f.verdict == Verdict::fail; });
  if (options.json) {
    print_json(findings, healthy, session);
  } else {
    print(findings, session);
  }
  return healthy ? Exit::ok : Exit::refused;
}

}  // namespace

void add_doctor(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "doctor", "Name what is wrong with the environment; exits 1 if something is",
                                  "  millrace doctor --data ./data\n"
                                  "  millrace doctor --store postgres://millrace@db/millrace\n"
                                  "  millrace doctor --server http://127.0.0.1:8080\n"
                                  "  millrace doctor --tls-cert cert.pem --tls-key key.pem --json");
  Options& o = define(command, chosen, run);
  command.add_option("--data", o.data, "folder of an embedded store, in use or not (MILLRACE_DATA)")->type_name("DIR");
  command.add_option("--store", o.store, "postgres://…, in use or not (MILLRACE_STORE)")->type_name("URL");
  command.add_option("--blobs", o.blobs, "where the server keeps large payloads, if it is told (MILLRACE_BLOBS)")
      ->type_name("PLACE");
  command.add_option("--tls-cert", o.tls_cert, "the server's certificate chain (MILLRACE_TLS_CERT)")->type_name("FILE");
  command.add_option("--tls-key", o.tls_key, "its private key (MILLRACE_TLS_KEY)")->type_name("FILE");
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

}  // namespace millrace::cli
