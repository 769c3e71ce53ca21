#include "registry/json_schema/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "registry/json_schema/ecma_pattern.h"

namespace millrace::registry::json_schema {
namespace {

// Bounds the program and its caches. Patterns of usual schemas need a few kilobytes.
constexpr std::int64_t kAutomatonBytesMax = 1024 * 1024;

bool is_literal(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return std::string_view("^$\\.*+?()[]{}|").find(c) == std::string_view::npos; });
}

}  // namespace

Pattern::Pattern(std::string source, Shape shape, std::string literal, std::unique_ptr<re2::RE2> automaton)
    : source_(std::move(source)), shape_(shape), literal_(std::move(literal)), automaton_(std::move(automaton)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(std::string_view source) {
  if (source.size() > kPatternBytesMax) {
    return fail(Errc::invalid, fmt::format("the pattern is longer than {} bytes", kPatternBytesMax));
  }
  const bool ends = source.ends_with('$');
  if (source.starts_with('^') && is_literal(source.substr(1, source.size() - 1 - (ends ? 1 : 0)))) {
    const std::string_view literal = source.substr(1, source.size() - 1 - (ends ? 1 : 0));
    return Pattern(std::string(source), ends ? Shape::whole : Shape::prefix, std::string(literal), nullptr);
  }
  if (source.empty() || source == ".*" || source == "^.*")
    return Pattern(std::string(source), Shape::anything, {}, nullptr);

  const Translation translation = translate_ecma(source);
  if (translation.verdict != Translation::Verdict::translated) return fail(Errc::invalid, translation.problem);
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kAutomatonBytesMax);
  options.set_never_capture(true);
  auto automaton = std::make_unique<re2::RE2>(translation.expression, options);
  if (!automaton->ok()) {
    const bool large = automaton->error_code() == re2::RE2::ErrorPatternTooLarge;
    if (large) return fail(Errc::invalid, "the pattern repeats too much to be run in bounded memory; simplify it");
    return fail(Errc::invalid, fmt::format("the pattern cannot be run: {}", automaton->error()));
  }
  return Pattern(std::string(source), Shape::general, {}, std::move(automaton));
}

bool Pattern::found_in(std::string_view text) const {
  switch (shape_) {
    case Shape::anything:
      return true;
    case Shape::prefix:
      return text.starts_with(literal_);
    case Shape::whole:
      return text == literal_;
    case Shape::general:
      break;
  }
  const re2::StringPiece piece(text.data(), text.size());
  return automaton_->Match(piece, 0, piece.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

std::size_t Pattern::size() const {
  return automaton_ == nullptr ? 1 : static_cast<std::size_t>(automaton_->ProgramSize());
}

bool is_ecma_pattern(std::string_view source) {
  return translate_ecma(source).verdict != Translation::Verdict::malformed;
}

}  // namespace millrace::registry::json_schema
