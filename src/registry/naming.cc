#include "registry/naming.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "registry/past_tense.h"
#include "registry/type_code.h"

namespace millrace::registry {
namespace {

using Words = std::vector<std::string>;
constexpr std::string_view kPublicPrefix = "public.";

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char to_lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

bool listed(std::span<const std::string_view> table, std::string_view word) {
  return std::ranges::find(table, word) != table.end();
}

// Never an entity of the business.
constexpr std::string_view kStorageNames[] = {"db",     "sql",      "orm",        "dao",   "crud",
                                              "mysql",  "postgres", "postgresql", "mongo", "mongodb",
                                              "dynamo", "dynamodb", "redis",      "sqlite"};
// Entities of the business in some systems (a table is booked), storage when written or read.
constexpr std::string_view kStorageLikeNames[] = {"database", "table", "row", "record", "cache", "disk"};
constexpr std::string_view kStorageVerbs[] = {"write",    "written", "read",   "insert",  "inserted",  "select",
                                              "selected", "save",    "saved",  "persist", "persisted", "upsert",
                                              "update",   "updated", "delete", "deleted", "flush",     "flushed"};
// They may follow the verb: logged_in, timed_out, charged_back.
constexpr std::string_view kParticles[] = {"in",   "out",  "up",   "off",     "on", "down",
                                           "back", "over", "away", "through", "by", "to"};

// The words of a name in any convention: "TimeEntry.Created", "TIME_ENTRY_CREATED", "time-entry:created".
Words words_of(std::string_view name) {
  Words words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::exchange(word, {}));
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_upper(c) && !is_lower(c) && !is_digit(c)) {
      end_word();
      continue;
    }
    const bool hump = is_upper(c) && i > 0 && (is_lower(name[i - 1]) || is_digit(name[i - 1]));
    const bool acronym_ends =
        is_upper(c) && i > 0 && is_upper(name[i - 1]) && i + 1 < name.size() && is_lower(name[i + 1]);
    if (hump || acronym_ends) end_word();
    word += to_lower(c);
  }
  end_word();
  return words;
}

std::string snake(std::span<const std::string> words) { return fmt::format("{}", fmt::join(words, "_")); }

// A name taken apart: whose it is, and what happened, both in snake_case.
struct Fact {
  std::string aggregate;
  std::string action;
};

std::string spell(const Fact& fact, Convention convention) {
  switch (convention) {
    case Convention::dotted:
      return fact.aggregate + "." + fact.action;
    case Convention::colon:
      return "{application}:{subdomain}:" + fact.aggregate + ":" + fact.action;
    case Convention::upper:
      break;
  }
  std::string text = fact.aggregate + "_" + fact.action;
  // What stands in braces is for a person to fill in, in any case.
  std::ranges::transform(text, text.begin(), [](char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

// The index of the verb that makes the words a fact: the last one, or the one before a particle.
std::size_t verb_at(std::span<const std::string> words) {
  return words.size() > 1 && listed(kParticles, words.back()) ? words.size() - 2 : words.size() - 1;
}

bool is_fact(std::span<const std::string> words) { return !words.empty() && is_past(words[verb_at(words)]); }

// The words of an action made past: "create" → "created", "phone_change" → "phone_changed", "update_phone" →
// "phone_updated". Nullopt where no verb is known.
std::optional<std::string> past_action(std::span<const std::string> words) {
  if (words.empty()) return std::nullopt;
  Words fixed(words.begin(), words.end());
  std::string& verb = fixed[verb_at(words)];
  if (is_past(verb)) return snake(fixed);
  auto past = past_behind(verb);
  if (!past && words.size() > 1 && is_known_verb(words[0])) {
    return fmt::format("{}_{}", snake(words.subspan(1)), past_of(words[0]));
  }
  if (!past) return std::nullopt;
  verb = std::move(*past);
  return snake(fixed);
}

// "update_time_entry" → time_entry.updated.
std::optional<Fact> fact_of_command(std::span<const std::string> words) {
  if (words.size() < 2 || !is_known_verb(words[0])) return std::nullopt;
  return Fact{snake(words.subspan(1)), past_of(words[0])};
}

// The best guess at the fact behind words without structure; "user phone number changed" is about the user.
std::optional<Fact> fact_of_words(std::span<const std::string> words) {
  if (words.size() < 2) return std::nullopt;
  if (!is_fact(words)) {
    if (auto command = fact_of_command(words)) return command;
  }
  const std::size_t verb = verb_at(words);
  const std::size_t split = words[verb] == "changed" && verb > 1 ? 1 : std::max<std::size_t>(verb, 1);
  const auto action = past_action(words.subspan(split));
  if (!action) return std::nullopt;
  return Fact{snake(words.first(split)), *action};
}

// The fact behind a name of two parts, in whatever case.
std::optional<Fact> fact_of_parts(std::string_view aggregate, std::string_view action) {
  const Words whose = words_of(aggregate);
  const Words what = words_of(action);
  if (whose.empty() || what.empty()) return std::nullopt;
  // "create.order" has them the wrong way round.
  if (!is_fact(what) && !past_action(what) && whose.size() == 1 && is_known_verb(whose[0])) {
    return Fact{snake(what), past_of(whose[0])};
  }
  const auto past = past_action(what);
  return past ? std::optional(Fact{snake(whose), *past}) : std::nullopt;
}

NamingFinding finding(NamingRule rule, std::string message, std::string suggestion = {}) {
  return {rule, std::move(message), std::move(suggestion)};
}

std::string suggest(const std::optional<Fact>& fact, Convention convention) {
  if (!fact) return {};
  if (fact->action == "changed") return spell({fact->aggregate, "{attribute}_changed"}, convention);
  return spell(*fact, convention);
}

// What is said of storage: written is what a business calls created.
std::string business_action(std::string_view verb) {
  std::string past = is_past(verb) ? std::string(verb) : past_of(verb);
  if (past == "updated" || past == "deleted") return past;
  return past == "upserted" ? past : "created";
}

bool is_storage(const Fact& fact, std::string_view verb) {
  return listed(kStorageNames, fact.aggregate) ||
         (listed(kStorageLikeNames, fact.aggregate) && listed(kStorageVerbs, verb));
}

// The checks that do not depend on how the name is spelled. `aggregate` and `action` are in snake_case.
std::optional<NamingFinding> check_fact(const Fact& fact, Convention convention) {
  const Words what = words_of(fact.action);
  const std::string& verb = what[verb_at(what)];
  if (is_storage(fact, verb)) {
    return finding(
        NamingRule::implementation_detail,
        fmt::format("\"{}\" is how it is stored; name the business entity and what happened to it", fact.aggregate),
        spell({"{entity}", business_action(verb)}, convention));
  }
  if (fact.action == "changed") {
    return finding(NamingRule::ambiguous, "\"changed\" alone does not say what changed", suggest(fact, convention));
  }
  if (is_fact(what)) return std::nullopt;
  const auto better = fact_of_parts(fact.aggregate, fact.action);
  if (is_known_verb(what[0]) || is_known_verb(verb)) {
    return finding(NamingRule::command, fmt::format("\"{}\" is a command; an event says what happened", fact.action),
                   suggest(better, convention));
  }
  return finding(NamingRule::past_tense, fmt::format("\"{}\" is not in the past tense", fact.action),
                 suggest(better, convention));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == text.npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// [a-z][a-z0-9]*(_[a-z0-9]+)*
bool is_snake(std::string_view text) {
  if (text.empty() || !is_lower(text.front()) || text.back() == '_') return false;
  if (text.find("__") != text.npos) return false;
  return std::ranges::all_of(text, [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
}

std::optional<NamingFinding> check_command_form(const Words& words, Convention convention) {
  if (is_fact(words)) return std::nullopt;
  const auto fact = fact_of_command(words);
  if (!fact) return std::nullopt;
  return finding(NamingRule::command, fmt::format("\"{}\" is a command; an event says what happened", snake(words)),
                 suggest(fact, convention));
}

std::optional<NamingFinding> check_dotted(std::string_view type) {
  const auto parts = split(type, '.');
  if (parts.size() == 2 && std::ranges::all_of(parts, is_snake)) {
    return check_fact({std::string(parts[0]), std::string(parts[1])}, Convention::dotted);
  }
  const Words words = words_of(type);
  if (parts.size() == 1) {
    if (auto command = check_command_form(words, Convention::dotted)) return command;
  }
  const bool cased = std::ranges::any_of(type, is_upper);
  const auto fact = parts.size() == 2 ? fact_of_parts(parts[0], parts[1]) : fact_of_words(words);
  return finding(NamingRule::form,
                 cased               ? "must be {aggregate}.{action} in lower-case snake_case"
                 : parts.size() == 2 ? "must be {aggregate}.{action} in snake_case, each beginning with a letter"
                                     : "must be {aggregate}.{action} in snake_case, with one dot",
                 suggest(fact, Convention::dotted));
}

std::optional<NamingFinding> check_upper(std::string_view type) {
  const Words words = words_of(type);
  const bool formed = words.size() > 1 && is_upper(type[0]) && type.back() != '_' && type.find("__") == type.npos &&
                      std::ranges::all_of(type, [](char c) { return is_upper(c) || is_digit(c) || c == '_'; });
  if (!formed) {
    return finding(NamingRule::form, "must be DOMAIN_ACTION in upper case",
                   suggest(fact_of_words(words), Convention::upper));
  }
  if (auto command = check_command_form(words, Convention::upper)) return command;
  const std::span<const std::string> all(words);
  const std::size_t split_at = std::max<std::size_t>(verb_at(all), 1);
  const Fact fact{snake(all.first(split_at)), snake(all.subspan(split_at))};
  // PHONE_CHANGED of a user is no bare "changed": the domain may be more than one word.
  if (fact.action == "changed" && split_at > 1) return std::nullopt;
  return check_fact(fact, Convention::upper);
}

// The two segments before the fact, where the suggestion leaves them open and the name has them.
void fill_in(std::string& suggestion, std::string_view application, std::string_view subdomain) {
  constexpr std::string_view kOpen = "{application}:{subdomain}:";
  if (!suggestion.starts_with(kOpen) || application.empty() || subdomain.empty()) return;
  suggestion.replace(0, kOpen.size(), fmt::format("{}:{}:", application, subdomain));
}

std::optional<NamingFinding> check_colon(std::string_view type) {
  const auto parts = split(type, ':');
  const auto formed = [](std::string_view part) {
    std::string text(part);
    std::ranges::replace(text, '-', '_');
    return is_snake(text);
  };
  if (parts.size() != 4 || !std::ranges::all_of(parts, formed)) {
    const bool whole = parts.size() == 4;
    const auto fact = whole ? fact_of_parts(parts[2], parts[3]) : fact_of_words(words_of(type));
    auto misformed = finding(NamingRule::form, "must be {application}:{subdomain}:{aggregate}:{event} in lower case",
                             suggest(fact, Convention::colon));
    if (whole) fill_in(misformed.suggestion, snake(words_of(parts[0])), snake(words_of(parts[1])));
    return misformed;
  }
  auto found = check_fact({snake(words_of(parts[2])), snake(words_of(parts[3]))}, Convention::colon);
  if (found) fill_in(found->suggestion, parts[0], parts[1]);
  return found;
}

std::optional<NamingFinding> check_spelling(std::string_view type, Convention convention) {
  switch (convention) {
    case Convention::upper:
      return check_upper(type);
    case Convention::colon:
      return check_colon(type);
    case Convention::dotted:
      break;
  }
  return check_dotted(type);
}

}  // namespace

std::optional<NamingMode> parse_naming_mode(std::string_view text) {
  for (const auto mode : {NamingMode::off, NamingMode::warn, NamingMode::enforce}) {
    if (to_text(mode) == text) return mode;
  }
  return std::nullopt;
}

std::optional<Convention> parse_convention(std::string_view text) {
  for (const auto convention : {Convention::dotted, Convention::upper, Convention::colon}) {
    if (to_text(convention) == text) return convention;
  }
  return std::nullopt;
}

std::string_view to_text(NamingMode mode) {
  constexpr std::string_view kWords[] = {"off", "warn", "enforce"};
  return kWords[std::to_underlying(mode)];
}

std::string_view to_text(Convention convention) {
  constexpr std::string_view kWords[] = {"dotted", "upper", "colon"};
  return kWords[std::to_underlying(convention)];
}

std::string_view to_text(NamingRule rule) {
  constexpr std::string_view kWords[] = {"form", "command", "past-tense", "ambiguous", "implementation-detail"};
  return kWords[std::to_underlying(rule)];
}

std::optional<NamingFinding> check_name(std::string_view type, Convention convention) {
  if (is_workflow_title(type)) return std::nullopt;
  if (type.empty()) return finding(NamingRule::form, "must not be empty");
  const bool is_public = convention == Convention::dotted && type.starts_with(kPublicPrefix);
  auto found = check_spelling(is_public ? type.substr(kPublicPrefix.size()) : type, convention);
  if (!found || found->suggestion.empty()) return found;
  // What would be refused again is no help; of what is in braces nobody knows yet.
  const bool open = found->suggestion.find('{') != std::string::npos;
  if (!open && check_spelling(found->suggestion, convention)) found->suggestion.clear();
  if (is_public && !found->suggestion.empty()) found->suggestion.insert(0, kPublicPrefix);
  return found;
}

}  // namespace millrace::registry
