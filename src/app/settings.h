// Named settings from four places: flag, environment, file, default, in this order of precedence. A setting is a
// flag "--queue-lease", a variable MILLRACE_QUEUE_LEASE and a TOML key queue_lease. Pure but for the file.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace millrace::app {

// Where a value came from; a higher one wins.
enum class Source { none, file, environment, flag };

struct Origin {
  Source source = Source::none;
  std::string name;  // of the setting there: "--listen", "MILLRACE_LISTEN", "listen in FILE"
};
using Origins = std::map<std::string, Origin, std::less<>>;  // by name of the setting

// The setting as whoever set it knows it; as a flag where nobody did.
std::string named(const Origins& origins, std::string_view setting);

struct Setting {
  std::string name;   // "queue-lease", as in the flag
  std::string value;  // what the help shows as its form: "DURATION"; "" for a switch
  std::string help;
  // Takes the text over; what is wrong with it, if anything.
  std::function<std::optional<std::string>(const std::string& text)> set;
};

using Texts = std::map<std::string, std::string, std::less<>>;  // by name of the setting
using Environment = std::function<const char*(const char* name)>;

std::string variable_of(std::string_view name);  // "queue-lease" -> "MILLRACE_QUEUE_LEASE"
std::string key_of(std::string_view name);       // "queue-lease" -> "queue_lease"

struct SettingsFile {
  std::string path;
  Texts texts;
};

// The settings in a TOML file. Errc::invalid names the file and the key: unknown, or not a plain value.
Result<SettingsFile> read_settings_file(const std::string& path, const std::vector<Setting>& settings);

// Sets every setting from the highest place that has it, and answers with where that was. Errc::invalid says which,
// where and why.
Result<Origins> apply_settings(const std::vector<Setting>& settings, const Texts& flags, const Environment& environment,
                               const SettingsFile& file);

// "64KiB", "1MiB", "2GiB" or plain bytes.
std::optional<std::size_t> parse_size(std::string_view text);

}  // namespace millrace::app
