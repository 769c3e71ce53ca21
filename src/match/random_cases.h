// Patterns and events that often nearly match, from a source of choices: a seeded generator in tests, the fuzzer's
// bytes in fuzzers. Few names and values, so that they meet; every operator, dotted keys, nested arrays.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/mix.h"

namespace millrace::match {

// The same numbers for the same seed, on every machine.
class SeededChoices {
 public:
  explicit SeededChoices(std::uint64_t seed) : state_(mix64(seed)) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(mix64(++state_) >> 33) % n; }

 private:
  std::uint64_t state_;
};

// Zeros once the bytes are used up.
class ByteChoices {
 public:
  ByteChoices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint32_t below(std::uint32_t n) { return at_ < size_ ? data_[at_++] % n : 0; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

template <class Choices>
class RandomCases {
 public:
  explicit RandomCases(Choices& choices) : choices_(choices) {}

  std::string event() { return object(0); }
  std::string pattern() { return fields(0); }

 private:
  template <std::size_t N>
  std::string_view one_of(const std::array<std::string_view, N>& texts) {
    return texts[choices_.below(N)];
  }
  bool chance(std::uint32_t percent) { return choices_.below(100) < percent; }

  std::string key() {
    static constexpr std::array<std::string_view, 9> kKeys = {"a", "b", "c", "d", "a.b", "b.c", "a.b.c", "", "c."};
    return std::string(chance(85) ? kKeys[choices_.below(4)] : one_of(kKeys));
  }
  std::string text() {
    static constexpr std::array<std::string_view, 16> kTexts = {"x",        "xy",       "xyx",     "yx",   "X",    "Xy",
                                                                "",         "x*y",      "abab",    "abcd", "aaaa", "É",
                                                                "10.0.0.1", "10.0.1.7", "2001::1", "\\\\"};
    return std::string(one_of(kTexts));
  }
  std::string number() {
    static constexpr std::array<std::string_view, 14> kNumbers = {"0",
                                                                  "-0.0",
                                                                  "1",
                                                                  "1.0",
                                                                  "10e-1",
                                                                  "2",
                                                                  "3",
                                                                  "-1",
                                                                  "100",
                                                                  "1e2",
                                                                  "9007199254740993",
                                                                  "9007199254740992",
                                                                  "1e400",
                                                                  "0.1000000000000000000001"};
    return std::string(one_of(kNumbers));
  }
  std::string scalar() {
    switch (choices_.below(6)) {
      case 0:
        return "null";
      case 1:
        return chance(50) ? "true" : "false";
      case 2:
        return number();
      default:
        return quoted(text());
    }
  }
  static std::string quoted(const std::string& content) { return '"' + content + '"'; }

  std::string value(int depth) {
    if (depth >= 5) return scalar();
    switch (choices_.below(8)) {
      case 0:
      case 1:
        return object(depth + 1);
      case 2:
      case 3:
        return array(depth + 1);
      default:
        return scalar();
    }
  }
  std::string array(int depth) {
    std::string out;
    const bool objects = chance(60);
    for (std::uint32_t n = choices_.below(4); n > 0; --n) {
      if (!out.empty()) out += ',';
      out += objects && depth < 5 ? object(depth + 1) : value(depth);
    }
    return '[' + out + ']';
  }
  // Each key once, as the parser demands.
  std::string object(int depth) {
    std::string out;
    std::string used = "|";
    for (std::uint32_t n = choices_.below(5); n > 0; --n) add_member(out, used, key(), [&] { return value(depth); });
    return '{' + out + '}';
  }

  std::string fields(int depth) {
    std::string out;
    std::string used = "|";
    for (std::uint32_t n = 1 + choices_.below(3); n > 0; --n) {
      if (depth < 3 && chance(12)) {
        add_member(out, used, "$or", [&] { return '[' + fields(depth + 1) + ',' + fields(depth + 1) + ']'; });
      } else if (depth < 3 && chance(5)) {
        add_member(out, used, "$and", [&] { return '[' + fields(depth + 1) + ',' + fields(depth + 1) + ']'; });
      } else if (depth < 3 && chance(6)) {
        add_member(out, used, "$not", [&] { return fields(depth + 1); });
      } else if (depth < 4 && chance(30)) {
        add_member(out, used, key(), [&] { return fields(depth + 1); });
      } else {
        add_member(out, used, key(), [&] { return conditions(); });
      }
    }
    return '{' + out + '}';
  }
  std::string conditions() {
    std::string out;
    for (std::uint32_t n = 1 + choices_.below(chance(70) ? 1 : 3); n > 0; --n) {
      if (!out.empty()) out += ',';
      out += condition();
    }
    return '[' + out + ']';
  }
  std::string condition() {
    switch (choices_.below(14)) {
      case 0:
      case 1:
        return R"({"exists":)" + std::string(chance(50) ? "true}" : "false}");
      case 2:
        return R"({"anything-but":)" + excluded() + '}';
      case 3:
        return R"({"numeric":)" + range() + '}';
      case 4:
        return R"({"cidr":)" + block() + '}';
      case 5:
        return R"({"regex":)" + regex() + '}';
      case 6:
        return text_operator();
      case 7:
        return R"({"wildcard":)" + wildcard() + '}';
      default:
        return scalar();
    }
  }
  std::string text_operator() {
    std::string folding = R"({"equals-ignore-case":)" + quoted(text()) + '}';
    if (chance(30)) return folding;
    const std::string operand = chance(40) ? folding : quoted(text());
    return R"({")" + std::string(chance(50) ? "prefix" : "suffix") + R"(":)" + operand + '}';
  }
  std::string wildcard() {
    static constexpr std::array<std::string_view, 9> kWildcards = {R"("*")",       R"("x*")",    R"("*x")",
                                                                   R"("*y*")",     R"("x*x")",   R"("*ab*ab*")",
                                                                   R"("a*b*c*d")", R"("x\\**")", R"("xy")"};
    return std::string(one_of(kWildcards));
  }
  std::string regex() {
    static constexpr std::array<std::string_view, 5> kRegexes = {R"("x.*")", R"("[a-c]+d?")", R"("(?i)xy")", R"("")",
                                                                 R"(".|..")"};
    return std::string(one_of(kRegexes));
  }
  std::string block() {
    static constexpr std::array<std::string_view, 6> kBlocks = {
        R"("10.0.0.0/24")", R"("10.0.0.1/32")", R"("10.9.9.9/8")", R"("0.0.0.0/0")", R"("2001::/16")", R"("::/0")"};
    return std::string(one_of(kBlocks));
  }
  std::string range() {
    static constexpr std::array<std::string_view, 9> kRanges = {R"(["=",1])",
                                                                R"([">",0])",
                                                                R"(["<",2])",
                                                                R"([">=",1,"<",3])",
                                                                R"([">",-1,"<=",100])",
                                                                R"([">",9007199254740992])",
                                                                R"(["<",9007199254740993])",
                                                                R"([">=",1e400])",
                                                                R"([">",0.1,"<",0.2])"};
    return std::string(one_of(kRanges));
  }
  std::string excluded() {
    switch (choices_.below(5)) {
      case 0:
        return '[' + scalar() + ',' + scalar() + ']';
      case 1:
        return R"({"prefix":)" + quoted(text()) + '}';
      case 2:
        return R"({"equals-ignore-case":[)" + quoted(text()) + ',' + quoted(text()) + "]}";
      case 3:
        return R"({"wildcard":)" + wildcard() + '}';
      default:
        return scalar();
    }
  }

  template <std::invocable Make>
  void add_member(std::string& out, std::string& used, const std::string& name, Make make) {
    const std::string content = make();
    if (used.find('|' + name + '|') != std::string::npos) return;
    used += name + '|';
    if (!out.empty()) out += ',';
    out += quoted(name) + ':' + content;
  }

  Choices& choices_;
};

}  // namespace millrace::match
