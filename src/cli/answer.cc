#include "cli/answer.h"

#include <fmt/format.h>

#include "json/parse.h"

namespace millrace::cli {
namespace {

std::string_view advice_for(int status) {
  switch (status) {
    case 401:
      return " (give a valid key with --key or MILLRACE_KEY)";
    case 403:
      return " (use a key that has the scope: `millrace keys create`)";
    case 412:
      return " (it is not what --if-match says: look at it again)";
    case 429:
      return " (the server is busy: try again later)";
    case 503:
      return " (see /readyz of the server and `millrace doctor`)";
    default:
      return "";
  }
}

void append_indented(std::string& out, json::Value value, std::size_t depth) {
  const bool object = value.is(json::Kind::object);
  if ((!object && !value.is(json::Kind::array)) || value.size() == 0) {
    out += value.raw();
    return;
  }
  const std::string inner(2 * (depth + 1), ' ');
  bool first = true;
  const auto begin_line = [&] {
    out += first ? "\n" : ",\n";
    out += inner;
    first = false;
  };
  out += object ? "{" : "[";
  if (object) {
    for (const json::Member member : value.members()) {
      begin_line();
      out.append(member.key.raw()).append(": ");
      append_indented(out, member.value, depth + 1);
    }
  } else {
    for (const json::Value element : value.elements()) {
      begin_line();
      append_indented(out, element, depth + 1);
    }
  }
  out.append("\n").append(2 * depth, ' ').append(object ? "}" : "]");
}

}  // namespace

json::Document accepted(http::ClientResponse answer) {
  if (answer.status >= 400) throw Failure(Exit::refused, refusal(answer));
  auto document = json::parse_owned(std::move(answer.body));
  if (document) return *std::move(document);
  throw Failure(Exit::refused, fmt::format("the answer (status {}) is no JSON (does --server name a Millrace server?)",
                                           answer.status));
}

std::string refusal(const http::ClientResponse& answer) {
  std::string said;
  if (const auto document = json::parse(answer.body)) {
    said = text_of(document->root(), "detail");                   // problem+json
    if (said.empty()) said = text_of(document->root(), "error");  // the queue API
    if (said.empty()) said = text_of(document->root(), "title");
  }
  if (said.empty()) said = fmt::format("the server answered with status {}", answer.status);
  return said.append(advice_for(answer.status));
}

std::string text_of(json::Value object, std::string_view key) {
  const std::optional<json::Value> member = object.find(key);
  if (!member) return "";
  if (member->is(json::Kind::string)) return member->get_string();
  if (member->is(json::Kind::number) || member->is(json::Kind::boolean)) return std::string(member->raw());
  return "";
}

std::optional<std::int64_t> number_of(json::Value object, std::string_view key) {
  const std::optional<json::Value> member = object.find(key);
  return member ? member->as_int64() : std::nullopt;
}

std::vector<json::Value> elements_of(json::Value object, std::string_view key) {
  std::vector<json::Value> elements;
  const std::optional<json::Value> member = object.find(key);
  if (!member || !member->is(json::Kind::array)) return elements;
  for (const json::Value element : member->elements()) elements.push_back(element);
  return elements;
}

std::string indented(json::Value value) {
  std::string out;
  append_indented(out, value, 0);
  return out;
}

}  // namespace millrace::cli
