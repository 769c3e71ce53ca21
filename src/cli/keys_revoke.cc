// `millrace keys revoke`: from now on the key is refused.
#include <fmt/format.h>

#include <ostream>

#include "cli/answer.h"
#include "cli/keys.h"
#include "cli/printable.h"
#include "cli/target_text.h"
#include "json/writer.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  std::string id;
};

// The id, also where the whole key is given: nobody should have to take it apart.
std::string id_in(const std::string& text) {
  if (!text.starts_with("mr_")) return text;
  return text.substr(3, text.find('_', 3) - 3);
}

Exit run(const Options& options, Session& session) {
  const std::string id = id_in(options.id);
  if (id.empty()) throw Failure(Exit::usage, "the id is empty (`millrace keys list` shows the ids)");
  const std::unique_ptr<Api> api = session.open(options.where);
  TargetText target("/api/keys");
  const http::ClientResponse answer = api->call({.method = http::Method::delete_, .target = target.segment(id).text()});
  if (answer.status >= 400) throw Failure(Exit::refused, refusal(answer));
  if (options.json) {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    out.member("id", id);
    out.member("revoked", true);
    out.end_object();
    session.out << text << "\n";
  } else {
    session.out << fmt::format("key {} is revoked\n", printable(id));
  }
  return Exit::ok;
}

}  // namespace

void add_keys_revoke(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "revoke", "Revoke a key: it is refused from now on",
                                  "  millrace keys revoke 3f9a1c5e7b2d4860");
  Options& o = define(command, chosen, run);
  command.add_option("ID", o.id, "of the key, as in `keys list`, or the key itself")->required()->type_name("");
  add_json_option(command, o.json);
  add_server_options(command, o.where);
  add_local_options(command, o.where);
}

}  // namespace millrace::cli
