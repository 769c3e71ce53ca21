// `millrace event-types list` and `millrace event-types show`.
#include <fmt/format.h>

#include <ostream>

#include "cli/answer.h"
#include "cli/documents.h"
#include "cli/event_types.h"
#include "cli/lines.h"
#include "cli/pages.h"
#include "cli/table.h"

namespace millrace::cli {
namespace {

struct Options {
  Where where;
  bool json = false;
  std::string code;                   // of the one to show
  std::optional<std::string> status;  // of those to list
};

// "1.0 DEPRECATED, 1.1 CURRENT".
std::string versions_text(json::Value type) {
  std::string text;
  for (const json::Value spec : elements_of(type, "specVersions")) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", text_of(spec, "version"), text_of(spec, "status"));
  }
  return text;
}

Exit list(const Options& options, Session& session) {
  const std::unique_ptr<Api> api = session.open(options.where);
  TargetText listing(kEventType.path);
  listing.with_if("status", options.status);
  if (options.json) {
    session.out << all_items(*api, listing) << "\n";
    return Exit::ok;
  }
  Table table({{.title = "CODE"},
               {.title = "STATUS"},
               {.title = "STRICT"},
               {.title = "VERSION", .align = Align::right},
               {.title = "UPDATED"},
               {.title = "SCHEMAS", .flexible = true}});
  for_each_item(*api, listing, [&](json::Value type) {
    const std::string status = text_of(type, "status");
    table.add({text_of(type, "code"), Cell(status, status == "CURRENT" ? Colour::green : Colour::dim),
               Cell(text_of(type, "strict") == "true" ? "yes" : "no"), text_of(type, "version"),
               Cell(text_of(type, "updatedAt"), Colour::dim), versions_text(type)});
  });
  if (table.empty()) {
    session.err << "there are no event types\n";
  } else {
    session.out << table.render(session.out_terminal);
  }
  return Exit::ok;
}

void print_versions(json::Value type, Session& session) {
  const auto versions = elements_of(type, "specVersions");
  if (versions.empty()) return;
  Table table({{.title = "SCHEMA"}, {.title = "STATUS"}, {.title = "LANGUAGE"}, {.title = "MESSAGE"}, {.title = "OF"}});
  for (const json::Value spec : versions) {
    const std::string describes = text_of(spec, "describes");
    table.add({text_of(spec, "version"), text_of(spec, "status"), text_of(spec, "schemaType"), text_of(spec, "message"),
               describes.empty() ? "data" : describes});
  }
  session.out << "\n" << table.render(session.out_terminal);
  for (const json::Value spec : versions) {
    print_block(fmt::format("schema {}", text_of(spec, "version")), text_of(spec, "schema"), session);
  }
}

Exit show(const Options& options, Session& session) {
  const json::Document type = fetch_document(kEventType, options.code, *session.open(options.where));
  if (options.json) {
    session.out << type.root().raw() << "\n";
    return Exit::ok;
  }
  std::vector<std::pair<std::string, Cell>> fields;
  for (const char* name : {"code", "name", "description", "status", "strict", "version", "createdAt", "updatedAt"}) {
    fields.emplace_back(name, text_of(type.root(), name));
  }
  session.out << render_fields(fields, session.out_terminal);
  print_versions(type.root(), session);
  return Exit::ok;
}

}  // namespace

void add_event_types_list(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "list", "List the types of events, by code",
                                  "  millrace event-types list --status CURRENT\n"
                                  "  millrace event-types list --json | jq '.items[].code'");
  Options& o = define(command, chosen, list);
  command.add_option("--status", o.status, "CURRENT or ARCHIVE (both)")
      ->type_name("STATUS")
      ->transform(CLI::IsMember(std::vector<std::string>{"CURRENT", "ARCHIVE"}, CLI::ignore_case).description(""));
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

void add_event_types_show(CLI::App& parent, Chosen& chosen) {
  CLI::App& command = add_command(parent, "show", "Show one type of events with its schemas",
                                  "  millrace event-types show order.created\n"
                                  "  millrace event-types show order.created --json > order.created.json");
  Options& o = define(command, chosen, show);
  add_document_name(command, kEventType, o.code);
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

}  // namespace millrace::cli
