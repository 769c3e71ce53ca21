#include "app/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>

#include "base/unavailable.h"
#include "blob/s3_store.h"

namespace millrace::app {
namespace {

using Wrong = std::optional<std::string>;

auto text_into(std::string& target) {
  return [&target](const std::string& text) -> Wrong {
    target = text;
    return std::nullopt;
  };
}

// For what names a place: empty, it is a shell variable that was not set, and the default would be another place.
auto place_into(std::string& target) {
  return [&target](const std::string& text) -> Wrong {
    if (text.empty()) return "must not be empty";
    target = text;
    return std::nullopt;
  };
}

auto store_into(std::string& target) {
  return [&target](const std::string& text) -> Wrong {
    if (text.empty()) return "must not be empty";
    const bool known = text.starts_with("postgres://") || text.starts_with("postgresql://") || text == "memory://";
    // It may have a password in it, in whatever form: no more of it is shown than a name.
    const std::size_t shown = text.find_first_of(":@= ");
    if (!known) {
      return fmt::format("\"{}{}\" must be postgres://… or memory://; for a folder use --data", text.substr(0, shown),
                         shown == text.npos ? "" : "…");
    }
    target = text;
    return std::nullopt;
  };
}

auto duration_into(Millis& target, Millis min, Millis max) {
  return [&target, min, max](const std::string& text) -> Wrong {
    const std::optional<Millis> duration = parse_duration(text);
    if (!duration || *duration < min || *duration > max) {
      return fmt::format("\"{}\" is no duration from {} to {}", text, format_duration(min), format_duration(max));
    }
    target = *duration;
    return std::nullopt;
  };
}

auto size_into(std::size_t& target, std::size_t min, std::size_t max) {
  return [&target, min, max](const std::string& text) -> Wrong {
    const std::optional<std::size_t> size = parse_size(text);
    if (!size || *size < min || *size > max)
      return fmt::format("\"{}\" is no size from {} to {} bytes", text, min, max);
    target = *size;
    return std::nullopt;
  };
}

auto number_into(std::size_t& target, std::size_t min, std::size_t max) {
  return [&target, min, max](const std::string& text) -> Wrong {
    std::size_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || stop != text.data() + text.size() || number < min || number > max) {
      return fmt::format("\"{}\" is no number from {} to {}", text, min, max);
    }
    target = number;
    return std::nullopt;
  };
}

auto switch_into(bool& target) {
  return [&target](const std::string& text) -> Wrong {
    if (text != "true" && text != "false") return fmt::format("\"{}\" is neither true nor false", text);
    target = text == "true";
    return std::nullopt;
  };
}

template <class T>
auto choice_into(T& target, std::vector<std::pair<std::string, T>> choices) {
  return [&target, choices = std::move(choices)](const std::string& text) -> Wrong {
    std::string names;
    for (const auto& [name, value] : choices) {
      if (name == text) {
        target = value;
        return std::nullopt;
      }
      names += (names.empty() ? "" : ", ") + name;
    }
    return fmt::format("\"{}\" is none of {}", text, names);
  };
}

std::vector<Setting> place_settings(ServeOptions& o) {
  using Auth = std::optional<api::AuthMode>;
  const std::vector<std::pair<std::string, Auth>> modes = {{"off", api::AuthMode::off}, {"keys", api::AuthMode::keys}};
  const std::vector<std::pair<std::string, std::string>> levels = {
      {"debug", "debug"}, {"info", "info"}, {"warn", "warn"}, {"error", "error"}, {"off", "off"}};
  return {
      {"listen", "ADDRESS:PORT", "where to listen; port 0 takes a free one (127.0.0.1:8080)", text_into(o.listen)},
      {"data", "DIR", "folder of the embedded store, made if it does not exist (millrace-data)", place_into(o.data)},
      {"store", "URL", "postgres://… instead of the embedded store; memory:// keeps nothing", store_into(o.store)},
      {"node-id", "NAME", "this node's name on PostgreSQL, which no other may have (host name and port)",
       text_into(o.node_id)},
      {"schemas", "DIR", "folder of event schemas, <type>.v<N>.json, registered now and on change",
       place_into(o.schemas)},
      {"auth", "off|keys", "off is only for loopback addresses, and the default there", choice_into(o.auth, modes)},
      {"tls-cert", "FILE", "certificate chain, PEM", place_into(o.tls_cert)},
      {"tls-key", "FILE", "its private key, PEM", place_into(o.tls_key)},
      {"log-level", "LEVEL", "debug, info, warn, error or off (info)", choice_into(o.log_level, levels)},
      {"unsafe-no-sync", "", "embedded store: answer before it is on disk; a power failure loses the latest",
       switch_into(o.unsafe_no_sync)},
      {"salvage-damaged-log", "", "embedded store: open a damaged folder with what precedes the damage",
       switch_into(o.salvage_damaged_log)},
  };
}

std::vector<Setting> queue_settings(ServeOptions& o) {
  using namespace std::chrono_literals;
  const std::vector<std::pair<std::string, queue::Backoff>> kinds = {{"fixed", queue::Backoff::fixed},
                                                                     {"exponential", queue::Backoff::exponential}};
  constexpr Millis kCentury = std::chrono::days(36'525);
  return {
      {"queue-lease", "DURATION", "how long a claimed item is held without a sign of life (30s)",
       duration_into(o.queue.lease, 100ms, 24h)},
      {"queue-backoff", "DURATION", "pause after a failed try (5m)",
       duration_into(o.queue.backoff.base, 0ms, limits::kBackoffMax)},
      {"queue-backoff-kind", "KIND", "fixed, or exponential: doubled with each try (fixed)",
       choice_into(o.queue.backoff.kind, kinds)},
      {"queue-backoff-max", "DURATION", "longest pause of exponential (1h)",
       duration_into(o.queue.backoff.cap, 0ms, limits::kBackoffMax)},
      {"queue-backoff-jitter", "", "spread the pauses by chance", switch_into(o.queue.backoff.jitter)},
      {"queue-retention", "DURATION", "how long finished items and their logs are kept; 0s: for ever (30d)",
       duration_into(o.queue_retention, 0ms, kCentury)},
      {"event-retention", "DURATION", "how long events are kept since they were received; 0s: for ever (0s)",
       duration_into(o.event_retention, 0ms, kCentury)},
      {"event-dedup-window", "DURATION", "how long an event's deduplicationId is remembered (24h)",
       duration_into(o.event_dedup_window, 1s, std::chrono::days(366))},
      {"queue-payload-max", "SIZE", "largest payload, as compact JSON (1MiB)",
       size_into(o.queue.payload_bytes_max, 1024, std::size_t{256} << 20)},
  };
}

auto names_into(std::vector<std::string>& target) {
  return [&target](const std::string& text) -> Wrong {
    std::vector<std::string> names;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      if (end == at) return fmt::format("\"{}\" is no list of names with commas between them", text);
      names.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    target = std::move(names);
    return std::nullopt;
  };
}

std::vector<Setting> blob_settings(ServeOptions& o) {
  return {
      {"blobs", "PLACE",
       "where large payloads are kept: DIR, s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME] or postgres "
       "(DATA/blobs; with --store postgres://… a table)",
       place_into(o.blobs)},
      {"blobs-take-over", "OWNER",
       "take the blobs of an installation that is gone; OWNER as the refusal names it, \"unmarked\" or \"damaged\"",
       place_into(o.blobs_take_over)},
      {"overflow-bytes", "SIZE", "events larger than this have their large fields kept there (200KiB)",
       size_into(o.overflow.threshold_bytes, 1024, std::size_t{256} << 20)},
      {"overflow-fields", "NAMES", "which fields those are (output,outputs,input,claudeOutput,data)",
       names_into(o.overflow.fields)},
      {"queue-overflow-bytes", "SIZE", "queue payloads larger than this are kept there (256KiB)",
       size_into(o.queue.overflow_bytes, 1024, std::size_t{256} << 20)},
  };
}

std::vector<Setting> limit_settings(ServeOptions& o) {
  using namespace std::chrono_literals;
  return {
      {"live-items-max", "N", "waiting items that a node holds in memory, about 100 bytes each (10000000)",
       number_into(o.live_items_max, 1000, 1'000'000'000)},
      {"io-threads", "N", "threads for HTTP that run where the kernel puts them (one on each core, which stays there)",
       number_into(o.io_threads, 1, 256)},
      {"read-threads", "N", "threads for reads that may block (4)", number_into(o.read_threads, 1, 64)},
      {"body-max", "SIZE", "largest request body (16MiB)", size_into(o.body_max, 4096, std::size_t{256} << 20)},
      {"connections-max", "N", "connections at a time (10000)", number_into(o.connections_max, 1, 1'000'000)},
      {"connections-per-address-max", "N", "connections at a time from one address (5000)",
       number_into(o.connections_per_address_max, 1, 1'000'000)},
      {"transfer-memory-max", "SIZE", "large bodies and answers under way, all connections together (512MiB)",
       size_into(o.transfer_memory_max, 1024 * 1024, std::size_t{1} << 40)},
      {"drain-timeout", "DURATION", "how long a stop waits for requests under way (25s)",
       duration_into(o.drain_timeout, 0ms, 1h)},
  };
}

constexpr const char* kFooter = R"(
Every option is also MILLRACE_<NAME> in the environment and a key in the TOML file of --config, with
underscores (MILLRACE_QUEUE_LEASE, queue_lease = "30s"). Flags win over the environment, that over the file.
MILLRACE_ADMIN_KEY in the environment is a key of tenant "default" with every scope: 16 characters or more are
advised; a shorter one is warned about. For --blobs s3://… the environment has MILLRACE_S3_ACCESS_KEY and
MILLRACE_S3_SECRET_KEY, or the AWS_ variables.

examples:
  millrace serve --data ./data
  millrace serve --listen 127.0.0.1:9000 --store postgres://millrace@db/millrace
  MILLRACE_ADMIN_KEY=… millrace serve --listen 0.0.0.0:8443 --auth keys --tls-cert cert.pem --tls-key key.pem
  millrace serve --config /etc/millrace.toml --queue-lease 2m

It prints "ready URL" on stdout when it takes requests. SIGTERM, SIGINT or SIGHUP finishes what is under
way; a second one exits at once. Exit codes: 0 stopped, 2 a wrong option, 69 the store cannot be used, 71 cannot listen,
74 the store failed while running.)";

// What can be said of --blobs without going there.
Wrong wrong_blobs(const ServeOptions& options, const Environment& environment) {
  constexpr std::string_view kBlobsFlag = "--blobs";
  const std::string blobs = named(options.origins, "blobs");
  if (options.blobs == "postgres" && (options.store.empty() || options.store == "memory://")) {
    return fmt::format("{} postgres needs --store postgres://…: name a folder or s3://… instead", blobs);
  }
  if (!options.blobs.starts_with("s3://")) {
    const std::size_t scheme = options.blobs.find("://");
    if (scheme == std::string::npos) return std::nullopt;
    return fmt::format("{} {}://…: name a folder, s3://BUCKET or postgres", blobs, options.blobs.substr(0, scheme));
  }
  try {
    blob::read_s3_url(options.blobs, environment);
  } catch (const Unavailable& error) {
    // It knows the flag only.
    const std::string_view why = error.what();
    return blobs + std::string(why.substr(why.starts_with(kBlobsFlag) ? kBlobsFlag.size() : 0));
  }
  return std::nullopt;
}

// One with a blank at its end is a line that was read from a file, and no client sends it so. Empty, there is none.
Wrong wrong_admin_key(const std::string& key) {
  constexpr std::string_view kBlanks = " \t\r\n";
  if (key.empty()) return std::nullopt;
  if (kBlanks.find(key.front()) != kBlanks.npos || kBlanks.find(key.back()) != kBlanks.npos) {
    return "MILLRACE_ADMIN_KEY begins or ends with a blank or a line break: take it off";
  }
  return std::nullopt;
}

// What needs more than one option to be judged.
Wrong contradiction(ServeOptions& options) {
  const auto name = [&](std::string_view setting) { return named(options.origins, setting); };
  const auto source = [&](std::string_view setting) { return options.origins.find(setting)->second.source; };
  if (options.tls_cert.empty() != options.tls_key.empty()) {
    return fmt::format("{} and {} go together", name("tls-cert"), name("tls-key"));
  }
  const Source data = source("data");
  const Source store = source("store");
  if (data != Source::none && data == store) {
    return fmt::format("{} and {} exclude each other", name("data"), name("store"));
  }
  if (data > store) options.store.clear();
  queue::RetryPolicy& backoff = options.queue.backoff;
  if (source("queue-backoff-max") == Source::none) backoff.cap = std::max(backoff.cap, backoff.base);
  if (backoff.cap < backoff.base) {
    return fmt::format("{} ({}) must not be less than {} ({}): raise the one or lower the other",
                       name("queue-backoff-max"), format_duration(backoff.cap), name("queue-backoff"),
                       format_duration(backoff.base));
  }
  options.body_max = std::max(options.body_max, options.queue.payload_bytes_max + 64 * 1024);
  options.transfer_memory_max = std::max(options.transfer_memory_max, 2 * options.body_max);
  return std::nullopt;
}

int complain(const std::string& what) {
  std::cerr << "millrace serve: " << what << "\n(--help lists the options)\n";
  return kExitUsage;
}

}  // namespace

std::vector<Setting> serve_settings(ServeOptions& options) {
  std::vector<Setting> settings = place_settings(options);
  for (Setting& setting : queue_settings(options)) settings.push_back(std::move(setting));
  for (Setting& setting : blob_settings(options)) settings.push_back(std::move(setting));
  for (Setting& setting : limit_settings(options)) settings.push_back(std::move(setting));
  return settings;
}

std::variant<ServeOptions, int> parse_serve(int argc, const char* const* argv, const Environment& environment) {
  ServeOptions options;
  std::vector<Setting> settings = serve_settings(options);
  CLI::App app("Runs the server.", "millrace serve");
  app.footer(kFooter);
  std::string config;
  const CLI::Option* config_flag =
      app.add_option("--config", config, "TOML file with any of these options")->type_name("FILE");
  std::map<std::string, std::string> given;
  std::map<std::string, CLI::Option*> added;
  for (const Setting& setting : settings) {
    CLI::Option* option = setting.value.empty()
                              ? app.add_flag("--" + setting.name, given[setting.name], setting.help)
                              : app.add_option("--" + setting.name, given[setting.name], setting.help);
    if (!setting.value.empty()) option->type_name(setting.value);
    added[setting.name] = option;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return complain(error.what());
  }
  Texts flags;
  for (const auto& [name, option] : added) {
    if (option->count() > 0) flags[name] = given[name];
  }
  if (config_flag->count() > 0 && config.empty()) return complain("--config: must not be empty");
  if (const char* file = environment("MILLRACE_CONFIG"); config.empty() && file != nullptr) config = file;
  const Result<SettingsFile> file = config.empty() ? SettingsFile{} : read_settings_file(config, settings);
  if (!file) return complain(file.error().detail);
  Result<Origins> origins = apply_settings(settings, flags, environment, *file);
  if (!origins) return complain(origins.error().detail);
  options.origins = *std::move(origins);
  if (const auto wrong = contradiction(options)) return complain(*wrong);
  if (const auto wrong = wrong_blobs(options, environment)) return complain(*wrong);
  if (const char* key = environment("MILLRACE_ADMIN_KEY"); key != nullptr) options.admin_key = key;
  if (const auto wrong = wrong_admin_key(options.admin_key)) return complain(*wrong);
  return options;
}

}  // namespace millrace::app
