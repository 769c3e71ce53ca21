#include "cli/event_types.h"

#include "cli/documents.h"

namespace millrace::cli {

void add_event_types(CLI::App& parent, Chosen& chosen) {
  CLI::App& types = add_command(parent, "event-types", "Register, show and delete types of events",
                                "  millrace event-types list\n"
                                "  millrace event-types put order.created --file order.created.json --dry-run\n"
                                "  millrace event-types put order.created --file order.created.json\n"
                                "  millrace event-types show order.created\n"
                                "`millrace schema push` registers a folder of schemas.");
  types.require_subcommand(1);
  add_event_types_list(types, chosen);
  add_event_types_show(types, chosen);
  add_event_types_put(types, chosen);
  add_document_delete(types, chosen, kEventType,
                      "  millrace event-types delete order.created\n"
                      "  millrace event-types delete order.created --if-match 3\n"
                      "New events of the type are no longer checked, those that are stored stay. Needs scope admin.");
}

}  // namespace millrace::cli
