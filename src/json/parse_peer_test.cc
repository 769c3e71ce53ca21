// Accepts and refuses the same mutated texts as Boost.JSON, an independent reader of the same grammar. It
// leaves to us what RFC 8259 leaves open: duplicate keys, which the events below show, and exponents beyond an int.
#include <gtest/gtest.h>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/src.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "json/parse.h"

namespace millrace::json {
namespace {

// Collects what Boost.JSON says is in the text: every string in order, and whether a key came twice.
struct PeerEvents {
  static constexpr std::size_t max_object_size = ~std::size_t{0};
  static constexpr std::size_t max_array_size = ~std::size_t{0};
  static constexpr std::size_t max_key_size = ~std::size_t{0};
  static constexpr std::size_t max_string_size = ~std::size_t{0};
  using Code = boost::json::error_code;
  using Text = boost::json::string_view;

  std::vector<std::string> strings;
  bool duplicate = false;

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_object_begin(Code&) {
    keys_.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t, Code&) {
    keys_.pop_back();
    return true;
  }
  bool on_array_begin(Code&) { return true; }
  bool on_array_end(std::size_t, Code&) { return true; }
  bool on_key_part(Text part, std::size_t, Code&) { return add_part(part); }
  bool on_key(Text part, std::size_t, Code&) {
    add_part(part);
    if (!keys_.back().insert(part_).second) duplicate = true;
    return finish();
  }
  bool on_string_part(Text part, std::size_t, Code&) { return add_part(part); }
  bool on_string(Text part, std::size_t, Code&) {
    add_part(part);
    return finish();
  }
  bool on_number_part(Text, Code&) { return true; }
  bool on_int64(std::int64_t, Text, Code&) { return true; }
  bool on_uint64(std::uint64_t, Text, Code&) { return true; }
  bool on_double(double, Text, Code&) { return true; }
  bool on_bool(bool, Code&) { return true; }
  bool on_null(Code&) { return true; }
  bool on_comment_part(Text, Code&) { return true; }
  bool on_comment(Text, Code&) { return true; }

 private:
  bool add_part(Text part) {
    part_.append(part.data(), part.size());
    return true;
  }
  bool finish() {
    strings.push_back(std::move(part_));
    part_.clear();
    return true;
  }
  std::vector<std::set<std::string>> keys_;
  std::string part_;
};

struct Verdict {
  bool comparable = true;
  bool accepted = false;
  std::vector<std::string> strings = {};
};

Verdict ask_peer(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = 64;
  boost::json::basic_parser<PeerEvents> parser(options);
  boost::json::error_code code;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), code);
  if (code == boost::json::error::exponent_overflow) return {.comparable = false};
  const PeerEvents& events = parser.handler();
  return {true, !code && read == text.size() && !events.duplicate, events.strings};
}

void collect_strings(Value value, std::vector<std::string>& out) {
  if (value.is(Kind::string)) out.push_back(value.get_string());
  if (value.is(Kind::array)) {
    for (const Value element : value.elements()) collect_strings(element, out);
  }
  if (value.is(Kind::object)) {
    for (const Member member : value.members()) {
      out.push_back(member.key.get_string());
      collect_strings(member.value, out);
    }
  }
}

const std::vector<std::string>& seeds() {
  static const std::vector<std::string> texts = {
      R"({"title":"Send mail","tags":["a","b"],"priority":-5,"payload":{"x":[1,2.5e-3,{"y":null}]},"run":true})",
      "{\n  \"a\" : [ 1 , 2 ],\r\n\t\"b\" : { \"c\" : false }\n}",
      R"(["\u0041\n\t\"\\\/","\ud83d\ude00","\u00e9",""])",
      "[\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\",\"long enough to need more than one block of sixteen bytes\"]",
      R"({"a":{"a":{"a":{}}},"b":{"a":1},"\u0062b":2})",
      "[0,-0,1.0,10e+5,123456789012345678901234567890,0.1E-7]",
      std::string(62, '[') + "1" + std::string(62, ']'),
      R"("a single string")",
      "-12.5e3",
      "[[],{},[[]],[{}],null,true,false]",
  };
  return texts;
}

std::string mutate(std::string text, std::mt19937& random) {
  static const std::vector<std::string> pieces = {"\"",       "\\",
                                                  "{",        "}",
                                                  "[",        "]",
                                                  ",",        ":",
                                                  " ",        "\n",
                                                  "0",        "1",
                                                  "-",        ".",
                                                  "e",        "\\u0061",
                                                  "\\ud800",  "\\udc00",
                                                  "true",     "null",
                                                  "\"a\":1,", "\xc3",
                                                  "\xa9",     "\xed\xa0\x80",
                                                  "\x01",     std::string(1, '\0'),
                                                  "/",        "[[",
                                                  "]]",       "\t"};
  for (unsigned edits = 1 + random() % 3; edits > 0; --edits) {
    const std::size_t at = random() % (text.size() + 1);
    const std::size_t length = std::min<std::size_t>(1 + random() % 4, text.size() - at);
    switch (random() % 5) {
      case 0:
        text.insert(at, pieces[random() % pieces.size()]);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.replace(at, length, pieces[random() % pieces.size()]);
        break;
      case 3:
        text.insert(at, text.substr(random() % (text.size() + 1), random() % 12));
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(random());
    }
  }
  return text;
}

TEST(ParseAgainstPeer, SeedsAreAccepted) {
  for (const std::string& seed : seeds()) {
    EXPECT_TRUE(parse(seed).has_value()) << seed;
    EXPECT_TRUE(ask_peer(seed).accepted) << seed;
  }
}

TEST(ParseAgainstPeer, MutatedTextsGetTheSameVerdictAndStrings) {
  std::mt19937 random(20251224);
  int accepted = 0;
  int refused = 0;
  for (int round = 0; round < 50'000; ++round) {
    const std::string text = mutate(seeds()[random() % seeds().size()], random);
    const Verdict peer = ask_peer(text);
    if (!peer.comparable) continue;
    const auto ours = parse(text);
    ASSERT_EQ(ours.has_value(), peer.accepted) << text << (ours ? "" : "\n" + ours.error().message);
    ++(ours ? accepted : refused);
    if (!ours) continue;
    std::vector<std::string> strings;
    collect_strings(ours->root(), strings);
    ASSERT_EQ(strings, peer.strings) << text;
  }
  // The comparison says little unless both verdicts are common.
  EXPECT_GT(accepted, 5'000);
  EXPECT_GT(refused, 5'000);
}

}  // namespace
}  // namespace millrace::json
