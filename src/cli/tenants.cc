#include "cli/tenants.h"

#include <fmt/format.h>

#include <ostream>

#include "cli/answer.h"
#include "cli/pages.h"
#include "cli/table.h"
#include "cli/target_text.h"
#include "json/writer.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  std::string name;
};

Exit create(const Options& options, Session& session) {
  Place place = resolve(options.where, session.environment);
  place.may_create = true;
  std::string body;
  json::Writer out(body);
  out.begin_object();
  out.member("id", options.name);
  out.end_object();
  const json::Document tenant = accepted(
      session.connect(place)->call({.method = http::Method::post, .target = "/api/tenants", .body = std::move(body)}));
  if (options.json) {
    session.out << tenant.root().raw() << "\n";
  } else {
    session.out << fmt::format("tenant {} is there\n", text_of(tenant.root(), "id"));
  }
  return Exit::ok;
}

Exit show(const Options& options, Session& session) {
  TargetText target("/api/tenants");
  target.segment(options.name);
  const json::Document tenant = accepted(session.open(options.where)->call({.target = target.text()}));
  if (options.json) {
    session.out << tenant.root().raw() << "\n";
    return Exit::ok;
  }
  std::vector<std::pair<std::string, Cell>> fields;
  for (const char* name : {"id", "shard", "created"}) fields.emplace_back(name, text_of(tenant.root(), name));
  session.out << render_fields(fields, session.out_terminal);
  return Exit::ok;
}

Exit list(const Options& options, Session& session) {
  const std::unique_ptr<Api> api = session.open(options.where);
  if (options.json) {
    session.out << all_items(*api, TargetText("/api/tenants")) << "\n";
    return Exit::ok;
  }
  Table table({{.title = "TENANT"}, {.title = "SHARD", .align = Align::right}, {.title = "CREATED"}});
  for_each_item(*api, TargetText("/api/tenants"), [&](json::Value tenant) {
    table.add({text_of(tenant, "id"), text_of(tenant, "shard"), text_of(tenant, "created")});
  });
  if (table.empty()) {
    session.err << "no tenants\n";
  } else {
    session.out << table.render(session.out_terminal);
  }
  return Exit::ok;
}

void add_options(CLI::App& command, Options& options) {
  add_json_option(command, options.json);
  add_server_options(command, options.where);
  add_local_options(command, options.where);
}

void add_name(CLI::App& command, Options& options) {
  command.add_option("NAME", options.name, "of the tenant: a-z, 0-9, '.', '_', '-'")->required()->type_name("");
}

}  // namespace

void add_tenants(CLI::App& parent, Chosen& chosen) {
  CLI::App& tenants = add_command(parent, "tenants", "Create, list and show tenants",
                                  "  millrace tenants create acme\n"
                                  "  millrace tenants list --data ./data\n"
                                  "  millrace tenants show acme --json");
  tenants.require_subcommand(1);
  CLI::App& creating = add_command(tenants, "create", "Register a tenant (its first key or item does so too)",
                                   "  millrace tenants create acme");
  Options& created = define(creating, chosen, create);
  add_name(creating, created);
  add_options(creating, created);
  CLI::App& listing = add_command(tenants, "list", "List all tenants", "  millrace tenants list --json");
  add_options(listing, define(listing, chosen, list));
  CLI::App& showing = add_command(tenants, "show", "Show one tenant", "  millrace tenants show acme");
  Options& shown = define(showing, chosen, show);
  add_name(showing, shown);
  add_options(showing, shown);
}

}  // namespace millrace::cli
