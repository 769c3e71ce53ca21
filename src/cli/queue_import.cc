#include "cli/queue_import.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <functional>
#include <ostream>

#include "cli/answer.h"
#include "json/compact.h"
#include "json/parse.h"

namespace millrace::cli {
namespace {

// A busy server (429) has taken nothing: the same array is sent again, for this long.
constexpr int kBusyTriesMax = 60;
constexpr auto kBusyPause = std::chrono::seconds(1);

std::string wrong_line(const std::string& source, std::uint64_t line, const json::ParseError& error) {
  return fmt::format("{} line {}: {}", source, line, json::to_error(error).detail);
}

class Import {
 public:
  Import(Api& api, const std::string& source, Session& session) : api_(api), source_(source), session_(session) {}

  void add(std::string_view text, std::uint64_t line) {
    const auto document = json::parse(text);
    if (!document) {
      send();
      stop(Exit::refused, wrong_line(source_, line, document.error()));
    }
    if (lines_.size() == kImportItems || (!lines_.empty() && body_.size() + text.size() > kImportBytes)) send();
    body_ += lines_.empty() ? "[" : ",";
    json::append_compact(body_, document->root());
    lines_.push_back(line);
  }

  void send() {
    if (lines_.empty()) return;
    body_ += "]";
    http::ClientResponse answer = post();
    if (answer.status >= 400) stop(Exit::refused, fmt::format("{} {}: {}", source_, blame(answer), refusal(answer)));
    const json::Document items = accepted(std::move(answer));
    if (!items.root().is(json::Kind::array)) throw Failure(Exit::refused, "the server answered an array with no array");
    for (const json::Value item : items.root().elements()) imported_.ids.push_back(number_of(item, "id").value_or(0));
    done_lines_ = lines_.back();
    lines_.clear();
    body_.clear();
    show_progress("");
  }

  Imported finish() {
    send();
    show_progress("\n");
    return std::move(imported_);
  }

 private:
  http::ClientResponse post() {
    try {
      for (int tries = 1;; ++tries) {
        http::ClientResponse answer = api_.call({.method = http::Method::post, .target = "/events", .body = body_});
        if (answer.status != 429 || tries == kBusyTriesMax) return answer;
        session_.pause(kBusyPause);
      }
    } catch (const Failure& failure) {
      stop(failure.exit(),
           fmt::format("{} {}: {}; they may or may not have been added", source_, all_lines(), failure.what()));
    }
  }

  std::string all_lines() const { return fmt::format("lines {} to {}", lines_.front(), lines_.back()); }

  // The server names an element by its place in the array: "[3].title".
  std::string blame(const http::ClientResponse& answer) const {
    const auto document = json::parse(answer.body);
    const std::string field = document ? text_of(document->root(), "field") : "";
    std::size_t index = 0;
    const bool named = field.starts_with('[') &&
                       std::from_chars(field.data() + 1, field.data() + field.size(), index).ec == std::errc{};
    return named && index < lines_.size() ? fmt::format("line {}", lines_[index]) : all_lines();
  }

  [[noreturn]] void stop(Exit exit, const std::string& why) {
    show_progress("\n");
    std::string fix = "nothing was added";
    if (!imported_.ids.empty()) {
      fix = fmt::format("{} before it added; --skip {} goes on after that", count_text(imported_.ids.size()),
                        done_lines_);
    }
    throw Failure(exit, fmt::format("{} ({})", why, fix));
  }

  void show_progress(std::string_view end) {
    if (session_.err_terminal.interactive)
      session_.err << "\radded " << count_text(imported_.ids.size()) << end << std::flush;
  }

  Api& api_;
  const std::string& source_;
  Session& session_;
  std::string body_;                  // the array so far
  std::vector<std::uint64_t> lines_;  // of its elements
  std::uint64_t done_lines_ = 0;      // everything up to this line is stored
  Imported imported_;
};

void for_each_line(Input& input, std::uint64_t skip,
                   const std::function<void(std::string_view text, std::uint64_t line)>& take) {
  std::string text;
  for (std::uint64_t line = 1; std::getline(input.stream(), text); ++line) {
    if (line <= skip || text.find_first_not_of(" \t\r") == text.npos) continue;
    take(text, line);
  }
}

}  // namespace

Imported import_items(Api& api, Input& input, std::uint64_t skip, Session& session) {
  Import import(api, input.name(), session);
  for_each_line(input, skip, [&](std::string_view text, std::uint64_t line) { import.add(text, line); });
  return import.finish();
}

std::size_t count_items(Input& input, std::uint64_t skip) {
  std::size_t count = 0;
  for_each_line(input, skip, [&](std::string_view text, std::uint64_t line) {
    const auto document = json::parse(text);
    if (!document) throw Failure(Exit::refused, wrong_line(input.name(), line, document.error()));
    ++count;
  });
  return count;
}

}  // namespace millrace::cli
