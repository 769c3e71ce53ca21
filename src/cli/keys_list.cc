// `millrace keys list`: the keys of a tenant, without their secrets.
#include <ostream>

#include "cli/answer.h"
#include "cli/keys.h"
#include "cli/pages.h"
#include "cli/table.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
};

std::string scopes_of(json::Value key) {
  std::string text;
  const std::optional<json::Value> scopes = key.find("scopes");
  if (!scopes || !scopes->is(json::Kind::array)) return text;
  for (const json::Value scope : scopes->elements()) {
    if (scope.is(json::Kind::string)) text += (text.empty() ? "" : ",") + scope.get_string();
  }
  return text;
}

Exit run(const Options& options, Session& session) {
  const std::unique_ptr<Api> api = session.open(options.where);
  if (options.json) {
    session.out << all_items(*api, TargetText("/api/keys")) << "\n";
    return Exit::ok;
  }
  Table table({{.title = "ID"},
               {.title = "TENANT"},
               {.title = "NAME", .flexible = true},
               {.title = "SCOPES", .flexible = true},
               {.title = "CREATED"},
               {.title = "EXPIRES"},
               {.title = "REVOKED"}});
  for_each_item(*api, TargetText("/api/keys"), [&](json::Value key) {
    table.add({text_of(key, "id"), text_of(key, "tenant"), text_of(key, "name"), scopes_of(key),
               text_of(key, "created"), text_of(key, "expires"), Cell(text_of(key, "revoked"), Colour::red)});
  });
  if (table.empty()) {
    session.err << "no keys\n";
  } else {
    session.out << table.render(session.out_terminal);
  }
  return Exit::ok;
}

}  // namespace

void add_keys_list(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "list", "List the keys of a tenant",
                                  "  millrace keys list --tenant acme\n"
                                  "  millrace keys list --data ./data --json");
  Options& o = define(command, chosen, run);
  add_json_option(command, o.json);
  add_server_options(command, o.where);
  add_local_options(command, o.where);
}

}  // namespace millrace::cli
