#include "cli/keys.h"

namespace millrace::cli {

void add_keys(CLI::App& parent, Chosen& chosen) {
  CLI::App& keys = add_command(parent, "keys", "Create, list and revoke access keys",
                               "  millrace keys create --tenant acme --scopes events:write,queue:work --expires 90d\n"
                               "  millrace keys create --data ./data --scopes operator    (the server is stopped)\n"
                               "  millrace keys list --tenant acme\n"
                               "  millrace keys revoke 3f9a1c5e7b2d4860");
  keys.require_subcommand(1);
  add_keys_create(keys, chosen);
  add_keys_list(keys, chosen);
  add_keys_revoke(keys, chosen);
}

}  // namespace millrace::cli
