#include "intake/rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "intake/target.h"
#include "json/compact.h"
#include "json/known_fields.h"
#include "json/object_reader.h"
#include "json/parse.h"

namespace millrace::intake {
namespace {

using json::ObjectReader;

// A field that is null goes back to what it is in a rule that does not name it (JSON merge patch); the pattern, which
// every rule has, stays for read_pattern() to refuse.
void forget_nulls(const ObjectReader& in, Rule& rule) {
  const auto is_null = [&](std::string_view key) {
    const auto value = in.optional_value(key);
    return value && value->is(json::Kind::null);
  };
  const Rule bare;
  if (is_null("description")) rule.description = bare.description;
  if (is_null("enabled")) rule.enabled = bare.enabled;
  if (is_null("bus")) rule.bus = bare.bus;
  if (is_null("dialect")) rule.dialect = bare.dialect;
  if (is_null("targets")) rule.targets = bare.targets;
}

Result<void> read_name(const ObjectReader& in, const std::string& name) {
  const auto given = in.optional_string("name", kRuleNameBytesMax);
  if (!given) return std::unexpected(given.error());
  if (!*given || **given == name) return {};
  return fail(Errc::invalid, fmt::format("\"name\" is \"{}\", but the path says \"{}\"", **given, name), "name");
}

Result<void> read_texts(const ObjectReader& in, Rule& rule) {
  auto description = in.optional_string("description", kRuleDescriptionBytesMax);
  if (!description) return std::unexpected(description.error());
  if (*description) rule.description = **description;
  const auto enabled = in.optional_bool("enabled");
  if (!enabled) return std::unexpected(enabled.error());
  rule.enabled = enabled->value_or(rule.enabled);
  auto bus = in.optional_string("bus", limits::kBusNameBytesMax);
  if (!bus) return std::unexpected(bus.error());
  if (*bus) rule.bus = **bus;
  return {};
}

Result<void> read_pattern(const ObjectReader& in, Rule& rule) {
  if (in.optional_value("dialect")) {
    const auto dialect = read_dialect(in);
    if (!dialect) return std::unexpected(dialect.error());
    rule.dialect = *dialect;
  }
  if (const auto pattern = in.optional_value("pattern")) {
    rule.pattern.clear();
    json::append_compact(rule.pattern, *pattern);
  }
  if (rule.pattern.empty()) return fail(Errc::invalid, "\"pattern\" is required", "pattern");
  const auto document = json::parse(std::string_view(rule.pattern));  // also one that stays: the dialect may change
  const auto compiled = compile_pattern(document->root(), rule.dialect);
  if (!compiled) return std::unexpected(compiled.error());
  return {};
}

Result<void> read_targets(const ObjectReader& in, Rule& rule) {
  const auto array = in.optional_array("targets", kTargetsPerRuleMax);
  if (!array) return std::unexpected(array.error());
  if (!*array) return {};
  std::vector<Target> targets;
  for (const json::Value element : (*array)->elements()) {
    const std::string place = json::element_path(in.path_of("targets"), targets.size());
    auto target = parse_target(element, place);
    if (!target) return std::unexpected(std::move(target.error()));
    if (std::ranges::find(targets, target->id, &Target::id) != targets.end()) {
      return fail(Errc::invalid, fmt::format("the id \"{}\" is there twice", target->id), place + ".id");
    }
    targets.push_back(*std::move(target));
  }
  rule.targets = std::move(targets);
  return {};
}

}  // namespace

Result<void> check_rule_name(std::string_view name) {
  if (name == "test") {
    return fail(Errc::invalid, "no rule can be named \"test\": /api/rules/test is where patterns are tried", "name");
  }
  if (!name.empty() && name.size() <= kRuleNameBytesMax && is_plain_name(name)) return {};
  return fail(Errc::invalid,
              fmt::format("the name of a rule has 1 to {} letters, digits, '.', '_' and '-'", kRuleNameBytesMax),
              "name");
}

std::string_view to_text(match::Dialect dialect) {
  return dialect == match::Dialect::extended ? "extended" : "eventbridge";
}

Result<match::Dialect> read_dialect(const ObjectReader& in) {
  const auto text = in.optional_string("dialect", 20);
  if (!text) return std::unexpected(text.error());
  if (!*text) return match::Dialect::eventbridge;
  for (const match::Dialect dialect : {match::Dialect::eventbridge, match::Dialect::extended}) {
    if (to_text(dialect) == **text) return dialect;
  }
  return fail(Errc::invalid, fmt::format("\"dialect\" must be eventbridge or extended, not \"{}\"", **text),
              in.path_of("dialect"));
}

Result<match::Pattern> compile_pattern(json::Value pattern, match::Dialect dialect) {
  auto compiled = match::Pattern::compile(pattern, dialect);
  if (compiled) return compiled;
  Error error = std::move(compiled.error());
  if (match::Pattern::compile(pattern, match::Dialect::extended)) {
    error.detail += R"(; put "dialect": "extended" beside "pattern" to use it)";
  }
  if (error.field.empty()) return fail(error.code, std::move(error.detail), "pattern");
  return fail(error.code, fmt::format("{}: {}", error.field, error.detail), "pattern." + error.field);
}

Result<Rule> parse_rule(std::string_view name, json::Value body) {
  if (const auto checked = check_rule_name(name); !checked) return std::unexpected(checked.error());
  Rule rule;
  rule.name = name;
  return merge_rule(rule, body);
}

Result<Rule> merge_rule(const Rule& old, json::Value body) {
  const auto in = ObjectReader::open(body);
  if (!in) return std::unexpected(in.error());
  Rule rule = old;
  forget_nulls(*in, rule);
  Result<void> read = json::refuse_unknown(
      *in, "a rule",
      {"name", "description", "enabled", "bus", "dialect", "pattern", "targets", "version", "createdAt", "updatedAt"});
  if (read) read = read_name(*in, rule.name);
  if (read) read = read_texts(*in, rule);
  if (read) read = read_pattern(*in, rule);
  if (read) read = read_targets(*in, rule);
  if (!read) return std::unexpected(std::move(read.error()));
  return rule;
}

Result<Rule> parse_stored_rule(std::string_view name, json::Value body) {
  auto rule = parse_rule(name, body);
  if (rule || body.find("dialect")) return rule;
  Rule extended;
  extended.name = name;
  extended.dialect = match::Dialect::extended;
  return merge_rule(extended, body);
}

void write_members(json::Writer& out, const Rule& rule) {
  out.member("name", rule.name);
  out.member("description", rule.description);
  out.member("enabled", rule.enabled);
  if (!rule.bus.empty()) out.member("bus", rule.bus);
  out.member("dialect", to_text(rule.dialect));
  out.raw_member("pattern", rule.pattern);
  out.key("targets");
  out.begin_array();
  for (const Target& target : rule.targets) write_target(out, target);
  out.end_array();
}

}  // namespace millrace::intake
