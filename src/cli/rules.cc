#include "cli/rules.h"

#include "cli/documents.h"

namespace millrace::cli {

void add_rules(CLI::App& parent, Chosen& chosen) {
  CLI::App& rules = add_command(parent, "rules", "Save, show, try and delete rules",
                                "  millrace rules list\n"
                                "  millrace rules put large-orders --file large-orders.json --dry-run\n"
                                "  millrace rules put large-orders --file large-orders.json\n"
                                "  millrace rules test --file large-orders.json --event order.json");
  rules.require_subcommand(1);
  add_rules_list(rules, chosen);
  add_rules_show(rules, chosen);
  add_rules_put(rules, chosen);
  add_document_delete(rules, chosen, kRule,
                      "  millrace rules delete large-orders\n"
                      "  millrace rules delete large-orders --if-match 3\n"
                      "Needs scope admin.");
  add_rules_test(rules, chosen);
}

}  // namespace millrace::cli
