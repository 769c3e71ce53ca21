// Events matched in a second by one thread: for each kind of rule, for growing numbers of rules, for many
// wildcards; the reference matcher in the same run; and sets that were changed beside the same ones built anew.
// ./dev bench match [--events N] [--parts kinds,sets,changed]
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "events.h"
#include "json/parse.h"
#include "match/reference.h"
#include "match/rule_set.h"
#include "rules.h"

namespace {

using namespace millrace;
using namespace millrace::bench;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Parsed events are kept for so many at a time, as a server would have them: recent, not all in the cache.
constexpr std::size_t kParsedMax = 10'000;

struct Corpus {
  std::vector<std::string> texts;
  std::vector<json::Document> parsed;  // of the first kParsedMax
  std::size_t bytes = 0;
};

template <class Make>
Corpus make_corpus(std::size_t count, Make make) {
  Corpus corpus;
  Random random(1);
  for (std::size_t i = 0; i < count; ++i) corpus.bytes += corpus.texts.emplace_back(make(random)).size();
  for (std::size_t i = 0; i < std::min(count, kParsedMax); ++i) corpus.parsed.push_back(*json::parse(corpus.texts[i]));
  return corpus;
}

std::vector<match::Rule> compile(const std::vector<std::string>& patterns) {
  std::vector<match::Rule> rules;
  for (const std::string& text : patterns) {
    const auto document = json::parse(text);
    if (!document) fmt::print(stderr, "{}: {}\n", text, document.error().message), std::exit(1);
    auto pattern = match::Pattern::compile(document->root(), match::Dialect::extended);
    if (!pattern) fmt::print(stderr, "{}: {}\n", text, pattern.error().detail), std::exit(1);
    rules.push_back({rules.size(), std::make_shared<const match::Pattern>(std::move(*pattern))});
  }
  return rules;
}

struct Rate {
  double matching = 0;  // events a second, of parsed events
  double whole = 0;     // parsing included
  double matches = 0;   // rules an event
};

// The best of these: other work on the machine can only take away.
constexpr std::size_t kRounds = 5;

Rate measure(const match::RuleSet& rules, const Corpus& corpus) {
  Rate rate;
  match::Scratch scratch;
  std::vector<match::RuleId> out;
  json::Document document;
  const std::size_t slice = corpus.texts.size() / kRounds;
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::size_t matches = 0;
    std::size_t events = 0;
    auto start = Clock::now();
    for (; events < slice; events += corpus.parsed.size()) {
      for (const json::Document& parsed : corpus.parsed) {
        rules.match(match::EventView(parsed.root()), scratch, out);
        matches += out.size();
      }
    }
    rate.matching = std::max(rate.matching, static_cast<double>(events) / seconds_since(start));
    rate.matches = static_cast<double>(matches) / static_cast<double>(events);

    start = Clock::now();
    for (std::size_t i = round * slice; i < (round + 1) * slice; ++i) {
      if (json::parse_into(document, corpus.texts[i])) rules.match(match::EventView(document.root()), scratch, out);
    }
    rate.whole = std::max(rate.whole, static_cast<double>(slice) / seconds_since(start));
  }
  return rate;
}

double reference_rate(const std::vector<match::Rule>& rules, const Corpus& corpus) {
  std::size_t events = 0;
  const auto start = Clock::now();
  while (events < corpus.parsed.size() && seconds_since(start) < 0.3) {
    const match::Leaves leaves{match::EventView(corpus.parsed[events++].root())};
    for (const match::Rule& rule : rules) match::reference_matches(rule.pattern->root(), leaves);
  }
  return static_cast<double>(events) / seconds_since(start);
}

void print_parsing(const Corpus& corpus) {
  json::Document document;
  std::size_t parsed = 0;
  const auto start = Clock::now();
  for (const std::string& text : corpus.texts) parsed += json::parse_into(document, text) ? 1 : 0;
  fmt::print("{} events of {} bytes; parsing alone {:.0f} events/s\n\n", parsed, corpus.bytes / parsed,
             static_cast<double>(parsed) / seconds_since(start));
}

void print_kinds(const Corpus& corpus) {
  fmt::print(
      "| five rules of a kind | matched, events/s | parsed and matched | matches an event | reference, events/s |\n");
  fmt::print("|---|---|---|---|---|\n");
  for (const auto& [name, patterns] : rule_kinds()) {
    const auto rules = compile(patterns);
    const Rate rate = measure(*match::RuleSet::build(rules), corpus);
    fmt::print("| {} | {:.0f} | {:.0f} | {:.2f} | {:.0f} |\n", name, rate.matching, rate.whole, rate.matches,
               reference_rate(rules, corpus));
  }
  fmt::print("\n");
}

std::size_t allocated() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

void print_set(const char* name, const std::vector<std::string>& patterns, const Corpus& corpus) {
  const std::size_t before = allocated();
  auto start = Clock::now();
  auto rules = compile(patterns);
  const double compiling = seconds_since(start);
  const std::size_t compiled = allocated();
  start = Clock::now();
  auto rule_set = match::RuleSet::build(rules);
  const double building = seconds_since(start);
  const auto count = static_cast<double>(patterns.size());
  const std::size_t built = allocated();

  const double reference = reference_rate(rules, corpus);
  start = Clock::now();
  const auto changed = rule_set->with({rules.front()}, {});
  const double changing = seconds_since(start);
  const Rate rate = measure(*rule_set, corpus);
  fmt::print("| {} | {} | {:.0f} | {:.0f} | {:.2f} | {:.2f} | {:.0f} + {:.0f} | {:.1f} | {:.2f} | {:.2f} | {:.0f} |\n",
             name, patterns.size(), rate.matching, rate.whole, 1e6 / rate.matching, rate.matches,
             static_cast<double>(compiled - before) / count, static_cast<double>(built - compiled) / count,
             compiling / count * 1e6, building * 1e3, changing * 1e3, reference);
}

void print_sets(const Corpus& corpus) {
  fmt::print(
      "| set | rules | matched, events/s | parsed and matched | µs an event | matches an event | bytes a rule: "
      "pattern "
      "+ index | compile a rule, µs | build, ms | change one, ms | reference, events/s |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const std::size_t count : {100u, 1'000u, 10'000u, 100'000u}) print_set("own", own_rules(count), corpus);
  for (const std::size_t count : {100u, 1'000u, 10'000u, 100'000u}) print_set("shared", shared_rules(count), corpus);
  for (const std::size_t count : {100u, 1'000u, 10'000u, 100'000u}) {
    print_set("wildcards", wildcard_rules(count), corpus);
  }
  // Few, since one takes as long as a thousand others.
  const Corpus hostile = make_corpus(100, make_hostile_event);
  for (const std::size_t count : {100u, 1'000u, 10'000u}) print_set("hostile", hostile_rules(count), hostile);
}

// As many replaced rules as a set of so many carries before it is built anew: each is one hidden and one recent.
std::size_t replaced_at_most(std::size_t rules) {
  return (64 + 2 * static_cast<std::size_t>(std::sqrt(static_cast<double>(rules)))) / 2;
}

void print_changed_set(const char* name, const std::vector<match::Rule>& rules, std::size_t count,
                       const Corpus& corpus) {
  const auto split = static_cast<std::ptrdiff_t>(count);
  const std::size_t replaced = rules.size() - count;
  auto changed = match::RuleSet::build({rules.begin(), rules.begin() + split});
  const auto start = Clock::now();
  for (std::size_t i = 0; i < replaced; ++i) {
    changed = changed->with({rules[count + i]}, std::vector<match::RuleId>{rules[i].id});
  }
  const double changing = seconds_since(start) / static_cast<double>(replaced);
  const auto fresh = match::RuleSet::build({rules.begin() + static_cast<std::ptrdiff_t>(replaced), rules.end()});
  const Rate before = measure(*fresh, corpus);
  const Rate after = measure(*changed, corpus);
  fmt::print("| {} | {} | {} | {:.3f} | {:.0f} | {:.0f} | {:.2f} |\n", name, changed->size(), changed->hidden(),
             changing * 1e3, before.matching, after.matching, before.matching / after.matching);
}

void print_changed_sets(const Corpus& corpus) {
  fmt::print(
      "\n| set | rules | of them replaced, one by one | a change, ms | built anew, events/s | after the changes | cost "
      "to anew |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const std::size_t count : {1'000u, 10'000u, 100'000u}) {  // up to 512 they are built anew each time
    const std::size_t all = count + replaced_at_most(count);
    print_changed_set("own", compile(own_rules(all)), count, corpus);
    print_changed_set("shared", compile(shared_rules(all)), count, corpus);
    print_changed_set("wildcards", compile(wildcard_rules(all)), count, corpus);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t events = 200'000;
  std::string_view parts = "kinds,sets,changed";
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string_view(argv[i]) == "--events") events = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::string_view(argv[i]) == "--parts") parts = argv[i + 1];
  }
  if (events < kRounds) return fmt::print(stderr, "usage: match_bench [--events N] [--parts {}]\n", parts), 2;
  const Corpus corpus = make_corpus(events, make_event);
  print_parsing(corpus);
  if (parts.contains("kinds")) print_kinds(corpus);
  if (parts.contains("sets")) print_sets(corpus);
  if (parts.contains("changed")) print_changed_sets(corpus);
}
