#include "app/settings.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <sstream>

namespace millrace::app {
namespace {

std::string with_underscores(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '-', '_');
  return text;
}

std::optional<std::string> plain_text(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  if (const auto truth = node.value_exact<bool>()) return *truth ? "true" : "false";
  return std::nullopt;
}

struct Found {
  std::string text;
  Origin origin;
};

Found find(const std::string& name, const Texts& flags, const Environment& environment, const SettingsFile& file) {
  if (const auto flag = flags.find(name); flag != flags.end()) return {flag->second, {Source::flag, "--" + name}};
  const std::string variable = variable_of(name);
  if (const char* set = environment(variable.c_str()); set != nullptr && *set != '\0') {
    return {set, {Source::environment, variable}};
  }
  if (const auto line = file.texts.find(name); line != file.texts.end()) {
    return {line->second, {Source::file, fmt::format("{} in {}", key_of(name), file.path)}};
  }
  return {"", {Source::none, "--" + name}};
}

}  // namespace

std::string named(const Origins& origins, std::string_view setting) {
  const auto found = origins.find(setting);
  return found == origins.end() ? fmt::format("--{}", setting) : found->second.name;
}

std::string variable_of(std::string_view name) {
  std::string text = "MILLRACE_" + with_underscores(name);
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

std::string key_of(std::string_view name) { return with_underscores(name); }

Result<SettingsFile> read_settings_file(const std::string& path, const std::vector<Setting>& settings) {
  // Opened as a file, a folder reads as an empty one.
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    return fail(Errc::invalid, fmt::format("{} is a folder, not a TOML file of settings", path), path);
  }
  toml::table table;
  try {
    table = toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    const auto where = error.source().begin;
    const std::string line = where.line > 0 ? fmt::format(" line {}", where.line) : "";
    return fail(Errc::invalid, fmt::format("{}{}: {}", path, line, error.description()), path);
  }
  SettingsFile file{.path = path, .texts = {}};
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const auto setting = std::ranges::find(settings, name, [](const Setting& s) { return key_of(s.name); });
    if (setting == settings.end()) return fail(Errc::invalid, fmt::format("{}: unknown key \"{}\"", path, name), name);
    const std::optional<std::string> text = plain_text(node);
    if (!text)
      return fail(Errc::invalid, fmt::format("{}: \"{}\" must be a string, a number or true/false", path, name), name);
    file.texts.emplace(setting->name, *text);
  }
  return file;
}

Result<Origins> apply_settings(const std::vector<Setting>& settings, const Texts& flags, const Environment& environment,
                               const SettingsFile& file) {
  Origins origins;
  for (const Setting& setting : settings) {
    const auto [text, origin] = find(setting.name, flags, environment, file);
    origins[setting.name] = origin;
    if (origin.source == Source::none) continue;
    if (const std::optional<std::string> wrong = setting.set(text)) {
      return fail(Errc::invalid, fmt::format("{}: {}", origin.name, *wrong), setting.name);
    }
  }
  return origins;
}

std::optional<std::size_t> parse_size(std::string_view text) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view unit(stop, text.data() + text.size());
  std::uint64_t factor = 0;
  if (unit.empty() || unit == "B") factor = 1;
  if (unit == "KiB") factor = std::uint64_t{1} << 10;
  if (unit == "MiB") factor = std::uint64_t{1} << 20;
  if (unit == "GiB") factor = std::uint64_t{1} << 30;
  if (factor == 0 || number > std::numeric_limits<std::size_t>::max() / factor) return std::nullopt;
  return number * factor;
}

}  // namespace millrace::app
