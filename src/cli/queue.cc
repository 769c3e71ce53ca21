#include "cli/queue.h"

#include "base/ids.h"

namespace millrace::cli {

void add_queue(CLI::App& parent, Chosen& chosen) {
  CLI::App& queue = add_command(parent, "queue", "Add, claim, settle and look at work items",
                                "  millrace queue add --title 'Send the invoice' --tags mail --payload '{\"to\":7}'\n"
                                "  millrace queue claim --tags mail --worker me --json\n"
                                "  millrace queue complete 1 --worker me\n"
                                "  millrace queue list --status FAILED");
  queue.require_subcommand(1);
  add_queue_add(queue, chosen);
  add_queue_claim(queue, chosen);
  add_queue_start(queue, chosen);
  add_queue_heartbeat(queue, chosen);
  add_queue_complete(queue, chosen);
  add_queue_fail(queue, chosen);
  add_queue_list(queue, chosen);
  add_queue_show(queue, chosen);
  add_queue_reset(queue, chosen);
  add_queue_stats(queue, chosen);
}

CLI::Validator names_tags() {
  return {[](std::string& text) {
            const bool names = text.find_first_not_of(", \t\r\n") != text.npos;
            return names ? std::string() : std::string("must name a tag, or several with commas between them");
          },
          ""};
}

void add_item_id(CLI::App& command, std::uint64_t& id) {
  command.add_option("ID", id, "number of the item")
      ->required()
      ->type_name("")
      ->check(CLI::Range(std::uint64_t{1}, kIdMax).description(""));
}

TargetText item_target(std::uint64_t id, std::string_view action) {
  TargetText target("/events");
  target.segment(std::to_string(id));
  if (!action.empty()) target.segment(action);
  return target;
}

}  // namespace millrace::cli
