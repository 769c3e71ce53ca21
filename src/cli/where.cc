#include "cli/where.h"

#include "cli/failure.h"

namespace millrace::cli {
namespace {

std::optional<std::string> either(const std::optional<std::string>& given, const char* variable,
                                  const Environment& environment) {
  if (given) return given;
  const char* value = environment(variable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

}  // namespace

Place resolve(const Where& where, const Environment& environment) {
  const int named = (where.server ? 1 : 0) + (where.data ? 1 : 0) + (where.store ? 1 : 0);
  if (named > 1) throw Failure(Exit::usage, "--server, --data and --store exclude each other (name one of them)");
  if (where.data == "" || where.store == "") throw Failure(Exit::usage, "--data and --store must not be empty");
  Place place{.server = either(where.server, "MILLRACE_SERVER", environment).value_or(kDefaultServer),
              .key = either(where.key, "MILLRACE_KEY", environment).value_or(""),
              .tenant = either(where.tenant, "MILLRACE_TENANT", environment).value_or(""),
              .ca_file = either(where.ca_file, "MILLRACE_CA_FILE", environment),
              .data = where.data.value_or(""),
              .store = where.store.value_or("")};
  if (place.local()) place.server.clear();
  return place;
}

}  // namespace millrace::cli
