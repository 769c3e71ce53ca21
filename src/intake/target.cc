#include "intake/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/limits.h"
#include "json/known_fields.h"
#include "json/object_reader.h"

namespace millrace::intake {
namespace {

using json::ObjectReader;

constexpr std::size_t kTargetNameBytesMax = 100;
constexpr std::array<std::string_view, 5> kTypes = {"webhook", "queue", "bus", "alert", "handler"};

Result<TargetType> read_type(const ObjectReader& in) {
  const auto text = in.required_string("type", 20);
  if (!text) return std::unexpected(text.error());
  const auto found = std::ranges::find(kTypes, *text);
  if (found == kTypes.end()) {
    return fail(Errc::invalid, fmt::format("\"{}\" is not one of webhook, queue, bus, alert, handler", *text),
                in.path_of("type"));
  }
  return static_cast<TargetType>(found - kTypes.begin());
}

Result<void> read_id(const ObjectReader& in, Target& target) {
  auto id = in.required_string("id", kRuleNameBytesMax);
  if (!id) return std::unexpected(std::move(id.error()));
  if (id->empty() || !is_plain_name(*id)) {
    return fail(Errc::invalid, "the id of a target has letters, digits, '.', '_' and '-'", in.path_of("id"));
  }
  target.id = *std::move(id);
  return {};
}

// The fields that say where to; which of them a type takes, and whether it needs one.
struct Place {
  std::string_view field;
  std::string Target::* member;
};
constexpr std::array<Place, 4> kPlaces = {
    Place{"url", &Target::url}, {"queue", &Target::queue}, {"bus", &Target::bus}, {"handler", &Target::handler}};

bool takes(TargetType type, std::string_view field) {
  if (field == "url") return type == TargetType::webhook || type == TargetType::bus || type == TargetType::alert;
  return field == to_text(type);
}
bool needs_one(TargetType type) { return type != TargetType::alert && type != TargetType::handler; }

Result<void> read_place(const ObjectReader& in, Target& target) {
  std::string_view given;
  for (const Place& place : kPlaces) {
    auto text = in.optional_string(place.field, place.field == "url" ? kUrlBytesMax : kTargetNameBytesMax);
    if (!text) return std::unexpected(std::move(text.error()));
    if (!*text) continue;
    const std::string path = in.path_of(place.field);
    if (!takes(target.type, place.field)) {
      return fail(Errc::invalid, fmt::format("a target of type {} has no \"{}\"", to_text(target.type), place.field),
                  path);
    }
    if (!given.empty()) {
      return fail(Errc::invalid, fmt::format("give \"{}\" or \"{}\", not both", given, place.field), path);
    }
    const std::string_view problem = place.field == "url"                         ? url_problem(**text)
                                     : (*text)->empty() || !is_plain_name(**text) ? "must be a plain name"
                                                                                  : "";
    if (!problem.empty()) return fail(Errc::invalid, fmt::format("\"{}\" {}", path, problem), path);
    given = place.field;
    target.*place.member = **std::move(text);
  }
  if (!given.empty() || !needs_one(target.type)) return {};
  const std::string_view wanted = target.type == TargetType::webhook ? "url" : to_text(target.type);
  return fail(Errc::invalid, fmt::format("a target of type {} needs \"{}\"", to_text(target.type), wanted),
              in.path_of(wanted));
}

Result<void> read_retry(const ObjectReader& target_in, TargetRetry& retry) {
  const auto in = target_in.optional_object("retry");
  if (!in) return std::unexpected(in.error());
  if (!*in) return {};
  if (auto known =
          json::refuse_unknown(**in, "\"retry\"", {"maxAttempts", "maxAgeSeconds", "initialDelayMs", "maxDelayMs"});
      !known) {
    return known;
  }
  const auto read = [&](std::string_view key, std::int64_t min, std::int64_t max, std::int64_t& into) -> Result<void> {
    const auto number = (*in)->optional_int(key, min, max);
    if (!number) return std::unexpected(number.error());
    into = number->value_or(into);
    return {};
  };
  const std::int64_t delay_max = limits::kBackoffMax.count();
  Result<void> fine = read("maxAttempts", 0, kTargetAttemptsMax, retry.max_attempts);
  if (fine) fine = read("maxAgeSeconds", 1, kTargetAgeSecondsMax, retry.max_age_seconds);
  if (fine) fine = read("initialDelayMs", 1, delay_max, retry.initial_delay_ms);
  const bool max_given = (*in)->optional_value("maxDelayMs").has_value();
  if (fine && !max_given) retry.max_delay_ms = std::max(retry.max_delay_ms, retry.initial_delay_ms);
  if (fine) fine = read("maxDelayMs", 1, delay_max, retry.max_delay_ms);
  if (!fine || retry.max_delay_ms >= retry.initial_delay_ms) return fine;
  return fail(Errc::invalid, "\"maxDelayMs\" must not be less than \"initialDelayMs\"", (*in)->path_of("maxDelayMs"));
}

// "$", "$.detail.id", "$.detail.items[0]".
bool is_json_path(std::string_view path) {
  if (!path.starts_with('$')) return false;
  path.remove_prefix(1);
  while (!path.empty()) {
    const char lead = path.front();
    path.remove_prefix(1);
    if (lead == '[') {
      const std::size_t end = path.find(']');
      const std::string_view digits = path.substr(0, end);
      if (end == path.npos || digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) return false;
      path.remove_prefix(end + 1);
    } else if (lead == '.') {
      const std::size_t end = std::min(path.find_first_of(".["), path.size());
      if (end == 0) return false;
      path.remove_prefix(end);
    } else {
      return false;
    }
  }
  return true;
}

// The names that every template knows, besides its own.
constexpr std::array<std::string_view, 5> kGivenNames = {"aws.events.rule-name", "aws.events.rule-arn",
                                                         "aws.events.event", "aws.events.event.json",
                                                         "aws.events.event.ingestion-time"};

// The first <name> of the text that nothing stands for; "" if there is none.
std::string_view unknown_name(const InputTransformer& transformer) {
  const std::string_view text = transformer.text;
  for (std::size_t open = text.find('<'); open != text.npos; open = text.find('<', open + 1)) {
    const std::size_t close = text.find_first_of("<>", open + 1);
    if (close == text.npos || text[close] == '<') continue;
    const std::string_view name = text.substr(open + 1, close - open - 1);
    if (name.empty() || !is_plain_name(name)) continue;
    const auto own =
        std::ranges::find(transformer.paths, name, [](const auto& path) { return std::string_view(path.first); });
    if (own == transformer.paths.end() && std::ranges::find(kGivenNames, name) == kGivenNames.end()) return name;
  }
  return {};
}

Result<void> read_paths(const ObjectReader& in, InputTransformer& transformer) {
  const auto paths = in.optional_object("paths");
  if (!paths) return std::unexpected(paths.error());
  if (!*paths) return {};
  if ((*paths)->object().size() > kTransformerPathsMax) {
    return fail(Errc::invalid, fmt::format("\"paths\" may have {} names at most", kTransformerPathsMax),
                in.path_of("paths"));
  }
  for (const json::Member member : (*paths)->object().members()) {
    std::string name = member.key.get_string();
    auto path = (*paths)->required_string(name, kTransformerPathBytesMax);
    if (!path) return std::unexpected(std::move(path.error()));
    if (name.empty() || name.size() > kTargetNameBytesMax || !is_plain_name(name)) {
      return fail(Errc::invalid, "a name has letters, digits, '.', '_' and '-'", (*paths)->path_of(name));
    }
    if (!is_json_path(*path)) {
      return fail(Errc::invalid, fmt::format("\"{}\" is no path such as $.detail.id", *path), (*paths)->path_of(name));
    }
    transformer.paths.emplace_back(std::move(name), *std::move(path));
  }
  return {};
}

Result<std::optional<InputTransformer>> read_transformer(const ObjectReader& target_in) {
  const auto in = target_in.optional_object("inputTransformer");
  if (!in) return std::unexpected(in.error());
  if (!*in) return std::nullopt;
  if (auto known = json::refuse_unknown(**in, "\"inputTransformer\"", {"paths", "template"}); !known) {
    return std::unexpected(std::move(known.error()));
  }
  InputTransformer transformer;
  if (auto read = read_paths(**in, transformer); !read) return std::unexpected(std::move(read.error()));
  auto text = (*in)->required_string("template", kTransformerTemplateBytesMax);
  if (!text) return std::unexpected(std::move(text.error()));
  transformer.text = *std::move(text);
  const std::string_view unknown = unknown_name(transformer);
  if (unknown.empty()) return transformer;
  return fail(Errc::invalid, fmt::format("the template has <{}>, but \"paths\" has no such name", unknown),
              (*in)->path_of("template"));
}

void write_transformer(json::Writer& out, const InputTransformer& transformer) {
  out.key("inputTransformer");
  out.begin_object();
  out.key("paths");
  out.begin_object();
  for (const auto& [name, path] : transformer.paths) out.member(name, path);
  out.end_object();
  out.member("template", transformer.text);
  out.end_object();
}

}  // namespace

std::string_view to_text(TargetType type) { return kTypes[static_cast<std::size_t>(type)]; }

bool is_plain_name(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  });
}

std::string_view url_problem(std::string_view url) {
  constexpr std::string_view kForm = "must be an address that begins with http:// or https://";
  const bool outside = std::ranges::any_of(url, [](char c) { return c <= ' ' || c == 0x7f || c == '"' || c == '<'; });
  if (outside) return "has a character that no address may have";
  const std::size_t scheme = url.starts_with("http://") ? 7 : url.starts_with("https://") ? 8 : 0;
  if (scheme == 0) return kForm;
  if (url.find('#') != url.npos) return "has a fragment, which is never sent";
  std::string_view authority = url.substr(scheme);
  authority = authority.substr(0, authority.find_first_of("/?"));
  if (authority.find('@') != authority.npos) return "must not contain a user name or password";
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.find(':', bracket == authority.npos ? 0 : bracket);
  if (colon == 0 || authority.empty()) return "names no host";
  if (authority.front() == '[' ? bracket == authority.npos || bracket < 2 : bracket != authority.npos) {
    return "names no host";
  }
  if (colon == authority.npos) return {};
  const std::string_view digits = authority.substr(colon + 1);
  std::uint32_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  const bool good = error == std::errc() && end == digits.data() + digits.size() && port >= 1 && port <= 65535;
  return good ? std::string_view() : "has a port that is none";
}

Result<Target> parse_target(json::Value value, std::string place) {
  const auto in = ObjectReader::open(value, std::move(place));
  if (!in) return std::unexpected(in.error());
  Target target;
  Result<void> read = read_id(*in, target);
  const auto type = read ? read_type(*in) : std::unexpected(read.error());
  if (!type) return std::unexpected(type.error());
  target.type = *type;
  read = read_place(*in, target);
  if (read) read = read_retry(*in, target.retry);
  if (!read) return std::unexpected(std::move(read.error()));
  auto transformer = read_transformer(*in);
  if (!transformer) return std::unexpected(std::move(transformer.error()));
  target.transformer = *std::move(transformer);
  const auto dead_letter = in->optional_bool("deadLetter");
  if (!dead_letter) return std::unexpected(dead_letter.error());
  target.dead_letter = dead_letter->value_or(true);
  read = json::refuse_unknown(
      *in, "a target", {"id", "type", "url", "queue", "bus", "handler", "retry", "inputTransformer", "deadLetter"});
  if (!read) return std::unexpected(std::move(read.error()));
  return target;
}

void write_target(json::Writer& out, const Target& target) {
  out.begin_object();
  out.member("id", target.id);
  out.member("type", to_text(target.type));
  for (const Place& place : kPlaces) {
    if (const std::string& text = target.*place.member; !text.empty()) out.member(place.field, text);
  }
  out.key("retry");
  out.begin_object();
  out.member("maxAttempts", target.retry.max_attempts);
  out.member("maxAgeSeconds", target.retry.max_age_seconds);
  out.member("initialDelayMs", target.retry.initial_delay_ms);
  out.member("maxDelayMs", target.retry.max_delay_ms);
  out.end_object();
  if (target.transformer) write_transformer(out, *target.transformer);
  out.member("deadLetter", target.dead_letter);
  out.end_object();
}

}  // namespace millrace::intake
