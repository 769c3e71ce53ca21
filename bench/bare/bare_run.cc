#include "bare/bare_run.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>

#include "store/postgres/postgres_store.h"
#include "store/rocksdb/rocksdb_store.h"

namespace millrace::bench {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 64;

}  // namespace

std::string Arguments::text(std::string_view name) const {
  std::string found;
  for (std::size_t i = 0; i + 1 < words_.size(); i += 2) {
    if (words_[i] == name) found = words_[i + 1];
  }
  return found;
}

double Arguments::number(std::string_view name, double otherwise) const {
  const std::string found = text(name);
  return found.empty() ? otherwise : std::atof(found.c_str());
}

std::size_t Arguments::count(std::string_view name, std::size_t otherwise) const {
  return static_cast<std::size_t>(number(name, static_cast<double>(otherwise)));
}

int bare_run(int argc, char** argv, std::string_view usage, Measure measure) {
  const Arguments arguments(argc, argv);
  const std::string data = arguments.text("--data");
  const std::string postgres = arguments.text("--postgres");
  if (data.empty() == postgres.empty()) {
    fmt::print(stderr, "usage: {}\n", usage);
    return kExitUsage;
  }
  spdlog::set_default_logger(spdlog::stderr_logger_mt("bare"));  // the report alone is on stdout
  try {
    const std::unique_ptr<store::Store> store = postgres.empty()
                                                    ? store::open_rocksdb({.path = data})
                                                    : store::open_postgres({.url = postgres, .node_id = "bare"});
    measure(*store, store->acquire({}).value(), arguments);
    store->release();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", argv[0], error.what());
    return kExitFailed;
  }
  return 0;
}

}  // namespace millrace::bench
