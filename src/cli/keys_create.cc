// `millrace keys create`: the key is printed once, alone on the last line of stdout.
#include <fmt/format.h>

#include <ostream>

#include "cli/answer.h"
#include "cli/keys.h"
#include "json/writer.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  std::vector<std::string> scopes;
  std::optional<std::string> name;
  std::optional<std::string> expires;
};

std::string body_of(const Options& options) {
  std::string body;
  json::Writer out(body);
  out.begin_object();
  out.key("scopes");
  out.begin_array();
  for (const std::string& scope : options.scopes) out.string(scope);
  out.end_array();
  out.member_if("name", options.name);
  out.member_if("expires", options.expires);
  out.end_object();
  return body;
}

Exit run(const Options& options, Session& session) {
  Place place = resolve(options.where, session.environment);
  place.may_create = true;  // the first key may come before the first start
  const std::unique_ptr<Api> api = session.connect(place);
  const json::Document made =
      accepted(api->call({.method = http::Method::post, .target = "/api/keys", .body = body_of(options)}));
  const json::Value key = made.root();
  if (options.json) {
    session.out << key.raw() << "\n";
    return Exit::ok;
  }
  const std::string expires = text_of(key, "expires");
  session.err << fmt::format("key {} of tenant {}, {}; it is shown this once:\n", text_of(key, "id"),
                             text_of(key, "tenant"), expires.empty() ? "does not expire" : "expires " + expires);
  session.out << text_of(key, "key") << "\n";
  return Exit::ok;
}

}  // namespace

void add_keys_create(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(
      parent, "create", "Create a key and print it, once",
      "  millrace keys create --tenant acme --scopes events:write,events:read,queue:work --name ci --expires 90d\n"
      "  KEY=$(millrace keys create --data ./data --scopes operator)\n"
      "  millrace keys create --store postgres://millrace@db/millrace --scopes operator\n\n"
      "scopes: events:write, events:read, queue:work, admin (all of these in its tenant), operator (all tenants)");
  Options& o = define(command, chosen, run);
  command.add_option("--scopes", o.scopes, "what it allows, comma separated")
      ->type_name("A,B")
      ->delimiter(',')
      ->required();
  command.add_option("--name", o.name, "what it is for, shown in lists")->type_name("TEXT");
  command.add_option("--expires", o.expires, "a duration from now (90d) or a time; never, if left out")
      ->type_name("WHEN");
  add_json_option(command, o.json);
  add_server_options(command, o.where);
  add_local_options(command, o.where);
}

}  // namespace millrace::cli
