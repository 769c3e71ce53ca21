#include "match/condition.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <re2/re2.h>

#include "json/escape.h"

namespace millrace::match {
namespace {

std::string quoted(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

std::string describe_text(const TextTest& test) {
  const std::string operand = quoted(test.operand);
  if (test.shape == Shape::whole)
    return test.ignore_case ? fmt::format(R"({{"equals-ignore-case":{}}})", operand) : operand;
  const std::string_view name = test.shape == Shape::prefix ? "prefix" : "suffix";
  if (test.ignore_case) return fmt::format(R"({{"{}":{{"equals-ignore-case":{}}}}})", name, operand);
  return fmt::format(R"({{"{}":{}}})", name, operand);
}

std::string describe_wildcard(const Wildcard& wildcard) {
  std::string source;
  for (std::size_t i = 0; i < wildcard.parts.size(); ++i) {
    if (i > 0) source.push_back('*');
    for (const char c : wildcard.parts[i]) {
      if (c == '*' || c == '\\') source.push_back('\\');
      source.push_back(c);
    }
  }
  return fmt::format(R"({{"wildcard":{}}})", quoted(source));
}

std::string describe_range(const Interval& interval) {
  std::string terms;
  if (interval.low)
    terms = fmt::format(R"("{}",{})", interval.low->inclusive ? ">=" : ">", interval.low->number.source);
  if (interval.high) {
    if (!terms.empty()) terms.push_back(',');
    terms += fmt::format(R"("{}",{})", interval.high->inclusive ? "<=" : "<", interval.high->number.source);
  }
  return fmt::format(R"({{"numeric":[{}]}})", terms);
}

std::string describe_block(const AddressBlock& block) {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(block.network.v6 ? AF_INET6 : AF_INET, block.network.bytes.data(), text, sizeof text);
  return fmt::format(R"({{"cidr":"{}/{}"}})", text, block.bits);
}

std::string describe_anything_but(const AnythingBut& test) {
  std::string list;
  for (const Condition& excluded : test.excluded) {
    if (!list.empty()) list.push_back(',');
    list += describe(excluded);
  }
  return fmt::format(R"({{"anything-but":[{}]}})", list);
}

}  // namespace

std::string describe(const Condition& condition) {
  return std::visit(
      Overloaded{
          [](const Constant& test) { return std::string(test.word); },
          [](const TextTest& test) { return describe_text(test); },
          [](const Wildcard& test) { return describe_wildcard(test); },
          [](const NumberTest& test) { return test.equal->source; },
          [](const RangeTest& test) { return describe_range(*test.interval); },
          [](const AddressBlock& test) { return describe_block(test); },
          [](const RegexTest& test) { return fmt::format(R"({{"regex":{}}})", quoted(test.regex->pattern())); },
          [](const Exists&) { return std::string(R"({"exists":true})"); },
          [](const Absent&) { return std::string(R"({"exists":false})"); },
          [](const AnythingBut& test) { return describe_anything_but(test); },
      },
      condition.test);
}

std::string describe(const std::vector<Condition>& any_of) {
  std::string out;
  for (const Condition& condition : any_of) {
    if (!out.empty()) out += " or ";
    out += describe(condition);
  }
  return out;
}

}  // namespace millrace::match
