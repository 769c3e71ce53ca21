#include "cli/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/answer.h"
#include "cli/printable.h"
#include "json/writer.h"

namespace millrace::cli {
namespace {

struct DeleteOptions {
  Where where;
  bool json = false;
  const DocumentKind* kind = nullptr;
  std::string name;
  std::optional<std::string> if_match;
};

// VERSION, * or 0. Not the bare header: nobody should have to put quotes into quotes.
std::string wrong_if_match(const std::string& text) {
  const bool number = !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (number || text == "*") return "";
  return fmt::format("\"{}\" is no version, such as 3, nor * or 0", text);
}

CLI::Option* add_if_match(CLI::App& command, const DocumentKind& kind, std::optional<std::string>& value,
                          std::string_view special) {
  return command.add_option("--if-match", value, fmt::format("only if this is the {}'s version{}", kind.noun, special))
      ->type_name("VERSION")
      ->check(CLI::Validator([](std::string& text) { return wrong_if_match(text); }, ""));
}

http::ClientHeaders precondition(const std::optional<std::string>& version) {
  if (!version) return {};
  if (*version == "*") return {{"If-Match", "*"}};
  if (version->find_first_not_of('0') == version->npos) return {{"If-None-Match", "*"}};
  return {{"If-Match", fmt::format("\"{}\"", *version)}};
}

Exit remove(const DeleteOptions& options, Session& session) {
  const DocumentKind& kind = *options.kind;
  const http::ClientResponse answer = session.open(options.where)
                                          ->call({.method = http::Method::delete_,
                                                  .target = document_target(kind, options.name).text(),
                                                  .headers = precondition(options.if_match)});
  if (answer.status >= 400) throw Failure(Exit::refused, refusal(answer));
  if (!options.json) {
    session.out << fmt::format("{} {} is deleted\n", kind.noun, printable(options.name));
    return Exit::ok;
  }
  std::string text;
  json::Writer out(text);
  out.begin_object();
  out.member(kind.key, options.name);
  out.member("deleted", true);
  out.end_object();
  session.out << text << "\n";
  return Exit::ok;
}

}  // namespace

TargetText document_target(const DocumentKind& kind, std::string_view name) {
  TargetText target(kind.path);
  target.segment(name);
  return target;
}

json::Document fetch_document(const DocumentKind& kind, const std::string& name, Api& api) {
  return accepted(api.call({.target = document_target(kind, name).text()}));
}

void add_document_name(CLI::App& command, const DocumentKind& kind, std::string& name) {
  std::string placeholder(kind.key);
  std::ranges::transform(placeholder, placeholder.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  command.add_option(placeholder, name, fmt::format("of the {}", kind.noun))
      ->required()
      ->type_name("")
      ->check(not_empty());
}

void add_put_options(CLI::App& command, const DocumentKind& kind, PutOptions& o) {
  add_document_name(command, kind, o.name);
  command.add_option("--file", o.file, "the document, JSON as the API takes it; - is stdin")
      ->required()
      ->type_name("FILE|-")
      ->check(not_empty());
  CLI::Option* if_match = add_if_match(command, kind, o.if_match, "; *: there must be one, 0: there must be none");
  CLI::Option* dry_run = command.add_flag("--dry-run", o.dry_run, "save nothing, look at the events that are stored");
  dry_run->excludes(if_match);
  const auto add_time = [&](const char* name, std::optional<std::string>& value, const char* help) {
    command.add_option(name, value, help)->type_name("TIME")->needs(dry_run)->check(not_empty());
  };
  add_time("--from", o.from, "with --dry-run: events not before this time, 2026-01-31T12:00:00Z");
  add_time("--to", o.to, "with --dry-run: events before this time");
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

Exit put_document(const DocumentKind& kind, const PutOptions& options, const std::string& body, Session& session) {
  http::ClientResponse answer = session.open(options.where)
                                    ->call({.method = http::Method::put,
                                            .target = document_target(kind, options.name).text(),
                                            .body = body,
                                            .headers = precondition(options.if_match)});
  const bool created = answer.status == 201;
  const json::Document document = accepted(std::move(answer));
  if (options.json) {
    session.out << document.root().raw() << "\n";
  } else {
    session.out << fmt::format("{} {} is {}, version {}\n", kind.noun, printable(options.name),
                               created ? "created" : "replaced", printable(text_of(document.root(), "version")));
  }
  return Exit::ok;
}

void add_document_delete(CLI::App& parent, Chosen& chosen, const DocumentKind& kind, const std::string& examples) {
  CLI::App& command = add_command(parent, "delete", fmt::format("Delete one {}", kind.noun), examples);
  DeleteOptions& o = define(command, chosen, remove);
  o.kind = &kind;
  add_document_name(command, kind, o.name);
  add_if_match(command, kind, o.if_match, "");
  add_json_option(command, o.json);
  add_server_options(command, o.where);
}

}  // namespace millrace::cli
