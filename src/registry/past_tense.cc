#include "registry/past_tense.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "registry/verbs.h"

namespace millrace::registry {
namespace {

bool listed(const auto& table, std::string_view word) { return std::ranges::find(table, word) != std::end(table); }

bool is_vowel(char c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'; }
bool is_consonant(char c) { return c >= 'a' && c <= 'z' && !is_vowel(c); }

const IrregularVerb* irregular(std::string_view base) {
  const auto* found = std::ranges::find(kIrregularVerbs, base, &IrregularVerb::base);
  return found == std::end(kIrregularVerbs) ? nullptr : found;
}

bool is_irregular_past(std::string_view word) {
  return std::ranges::any_of(kIrregularVerbs,
                             [&](const IrregularVerb& v) { return v.participle == word || v.past == word; });
}

// One vowel between consonants in a word of one syllable: stop, ship, plan; not wait, start, fix, play.
bool doubles_as_one_syllable(std::string_view verb) {
  if (verb.size() < 3) return false;
  const char last = verb.back();
  if (!is_consonant(last) || last == 'w' || last == 'x' || last == 'y') return false;
  if (!is_vowel(verb[verb.size() - 2]) || !is_consonant(verb[verb.size() - 3])) return false;
  return std::ranges::count_if(verb, is_vowel) == 1;
}

// Whether what stands before -ed can be a verb: it has a vowel (or y) of its own.
bool has_vowel(std::string_view stem) {
  return std::ranges::any_of(stem, [](char c) { return is_vowel(c) || c == 'y'; });
}

// The base forms that `word` may be an inflection of.
std::vector<std::string> bases(std::string_view word) {
  std::vector<std::string> found{std::string(word)};
  const auto stem = [&](std::string_view ending) -> std::string_view {
    return word.size() > ending.size() + 1 && word.ends_with(ending) ? word.substr(0, word.size() - ending.size()) : "";
  };
  const auto add = [&](std::string_view start, std::string_view ending) {
    if (!start.empty()) found.push_back(std::string(start).append(ending));
  };
  add(stem("s"), "");
  add(stem("es"), "");
  add(stem("ies"), "y");
  add(stem("ing"), "");
  add(stem("ing"), "e");
  if (const auto doubled = stem("ing"); doubled.size() > 2 && doubled.back() == doubled[doubled.size() - 2]) {
    add(doubled.substr(0, doubled.size() - 1), "");
  }
  add(stem("ion"), "");     // rejection → reject
  add(stem("ion"), "e");    // creation → create
  add(stem("ation"), "e");  // reservation → reserve
  add(stem("ation"), "");   // confirmation → confirm
  add(stem("ment"), "");    // assignment → assign
  return found;
}

}  // namespace

bool is_past(std::string_view word) {
  if (word.empty()) return false;
  if (is_irregular_past(word)) return true;
  if (!word.ends_with("ed") || listed(kNotPast, word)) return false;
  if (word.ends_with("eed")) return listed(kPastInEed, word);
  return word.size() > 3 && has_vowel(word.substr(0, word.size() - 2));
}

bool is_known_verb(std::string_view word) { return irregular(word) != nullptr || listed(kRegularVerbs, word); }

std::string past_of(std::string_view verb) {
  if (const IrregularVerb* known = irregular(verb)) return std::string(known->participle);
  std::string past(verb);
  if (verb.empty()) return past;
  if (verb.ends_with('e')) return past + "d";
  if (verb.size() > 1 && verb.ends_with('y') && is_consonant(verb[verb.size() - 2])) {
    past.back() = 'i';
    return past + "ed";
  }
  if (listed(kDoublingVerbs, verb) || doubles_as_one_syllable(verb)) past += verb.back();
  return past + "ed";
}

std::optional<std::string> past_behind(std::string_view word) {
  const auto* noun = std::ranges::find(kVerbalNouns, word, &VerbalNoun::noun);
  if (noun != std::end(kVerbalNouns)) return std::string(noun->participle);
  for (const std::string& base : bases(word)) {
    if (is_known_verb(base)) return past_of(base);
  }
  return std::nullopt;
}

}  // namespace millrace::registry
