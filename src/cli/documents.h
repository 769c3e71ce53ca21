// What the commands for versioned documents share, rules and event types: their names, --if-match, put and delete.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/target_text.h"
#include "json/value.h"

namespace millrace::cli {

struct DocumentKind {
  const char* noun;    // in messages: "rule"
  const char* plural;  // the group of its commands: "rules"
  const char* path;    // of the listing
  const char* key;     // the member that names one: "name"
};
inline constexpr DocumentKind kRule{.noun = "rule", .plural = "rules", .path = "/api/rules", .key = "name"};
inline constexpr DocumentKind kEventType{
    .noun = "event type", .plural = "event-types", .path = "/api/event-types", .key = "code"};

struct PutOptions {
  Where where;
  bool json = false;
  bool dry_run = false;
  std::string name;
  std::string file;
  std::optional<std::string> if_match;
  std::optional<std::string> from;  // of the stored events that a dry run looks at
  std::optional<std::string> to;
};

// "/api/rules/large-orders".
TargetText document_target(const DocumentKind& kind, std::string_view name);

// One document as it is. Throws Failure{refused} as accepted() does.
json::Document fetch_document(const DocumentKind& kind, const std::string& name, Api& api);

// The positional NAME or CODE of a document.
void add_document_name(CLI::App& command, const DocumentKind& kind, std::string& name);
// All options of a put command, those of a dry run included.
void add_put_options(CLI::App& command, const DocumentKind& kind, PutOptions& options);

// Sends the document and says what became of it.
Exit put_document(const DocumentKind& kind, const PutOptions& options, const std::string& body, Session& session);

// `delete`, whole.
void add_document_delete(CLI::App& parent, Chosen& chosen, const DocumentKind& kind, const std::string& examples);

}  // namespace millrace::cli
