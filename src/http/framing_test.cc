// Request smuggling lives where two servers read one request in two ways. This table is the list of such
// requests; each must be refused, whatever else changes.
#include "http/framing.h"

#include <gtest/gtest.h>

#include <string>

namespace millrace::http {
namespace {

struct Case {
  const char* name;
  std::string head;
};

const std::string kHost = "Host: a\r\n";

std::string get(const std::string& fields) { return "GET / HTTP/1.1\r\n" + fields + "\r\n"; }
std::string post(const std::string& fields) { return "POST /x HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n"; }

std::string many_fields(int count) {
  std::string out = kHost;
  for (int i = 1; i < count; ++i) out += "A: b\r\n";
  return out;
}

const Case kRefused[] = {
    {"NoHost", get("")},
    {"TwoHosts", get(kHost + kHost)},
    {"TwoHostsInDifferentCase", get(kHost + "HOST: b\r\n")},
    {"HostWithPath", get("Host: a/b\r\n")},
    {"HostList", get("Host: a, b\r\n")},
    {"HostWithUserInfo", get("Host: u@a\r\n")},
    {"TwoContentLengths", post("Content-Length: 5\r\nContent-Length: 5\r\n")},
    {"ContentLengthList", post("Content-Length: 5, 5\r\n")},
    {"ContentLengthSigned", post("Content-Length: +5\r\n")},
    {"ContentLengthNegative", post("Content-Length: -1\r\n")},
    {"ContentLengthHex", post("Content-Length: 0x5\r\n")},
    {"ContentLengthEmpty", post("Content-Length:\r\n")},
    {"ContentLengthHuge", post("Content-Length: 99999999999999999999\r\n")},
    {"ContentLengthWithSpace", post("Content-Length: 5 5\r\n")},
    {"BothLengths", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")},
    {"BothLengthsTheOtherWay", post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n")},
    {"TwoTransferEncodings", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")},
    {"TransferEncodingList", post("Transfer-Encoding: gzip, chunked\r\n")},
    {"TransferEncodingIdentity", post("Transfer-Encoding: identity\r\n")},
    {"TransferEncodingAlmostChunked", post("Transfer-Encoding: xchunked\r\n")},
    {"TransferEncodingQuoted", post("Transfer-Encoding: \"chunked\"\r\n")},
    {"TransferEncodingWithVerticalTab", post("Transfer-Encoding: \vchunked\r\n")},
    {"TransferEncodingInHttp10", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"},
    {"SpaceBeforeColon", post("Transfer-Encoding : chunked\r\n")},
    {"TabBeforeColon", post("Content-Length\t: 5\r\n")},
    {"FoldedLine", post("A: b\r\n c\r\n")},
    {"FoldedLineWithTab", post("A: b\r\n\tc\r\n")},
    {"FoldedFirstLine", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"},
    {"BareLineFeed", "GET / HTTP/1.1\nHost: a\r\n\r\n"},
    {"BareLineFeedInFields", get("A: b\n" + kHost)},
    {"BareLineFeedAtTheEnd", "GET / HTTP/1.1\r\nHost: a\r\n\n"},
    {"BareCarriageReturn", get(kHost + "A: b\rContent-Length: 5\r\n")},
    {"CarriageReturnTwice", get(kHost + "A: b\r\r\n")},
    {"NulInValue", get(kHost + std::string("A: b\0c\r\n", 8))},
    {"DelInValue", get(kHost + "A: b\x7f\r\n")},
    {"NulInName", get(kHost + std::string("A\0: b\r\n", 7))},
    {"EmptyName", get(kHost + ": b\r\n")},
    {"NoColon", get(kHost + "Ab\r\n")},
    {"NameWithSpace", get(kHost + "A b: c\r\n")},
    {"NameWithUtf8", get(kHost + "\xc3\xa4: c\r\n")},
    {"TooManyFields", get(many_fields(101))},
    {"MethodNotToken", "GE(T / HTTP/1.1\r\nHost: a\r\n\r\n"},
    {"MethodEmpty", " / HTTP/1.1\r\nHost: a\r\n\r\n"},
    {"MethodEndless", std::string(33, 'A') + " / HTTP/1.1\r\nHost: a\r\n\r\n"},
    {"TwoSpaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"},
    {"SpaceInTarget", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"},
    {"TabInsteadOfSpace", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n"},
    {"SpaceAfterVersion", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"},
    {"Utf8InTarget", "GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n"},
    {"NoVersion", "GET /\r\nHost: a\r\n\r\n"},
    {"Version09", "GET / HTTP/0.9\r\nHost: a\r\n\r\n"},
    {"Version2", "GET / HTTP/2.0\r\nHost: a\r\n\r\n"},
    {"VersionLowerCase", "GET / http/1.1\r\nHost: a\r\n\r\n"},
    {"VersionWithoutDot", "GET / HTTP/11\r\nHost: a\r\n\r\n"},
    {"Empty", "\r\n\r\n"},
    {"NothingAtAll", ""},
    {"NotEnded", "GET / HTTP/1.1\r\nHost: a\r\n"},
    {"MoreAfterItsEnd", get(kHost) + "X"},
};

class RefusedFraming : public ::testing::TestWithParam<Case> {};

TEST_P(RefusedFraming, IsMalformed) {
  const auto head = check_framing(GetParam().head);
  ASSERT_FALSE(head.has_value());
  EXPECT_EQ(head.error().code, Errc::malformed);
  EXPECT_FALSE(head.error().detail.empty());
}

INSTANTIATE_TEST_SUITE_P(Table, RefusedFraming, ::testing::ValuesIn(kRefused),
                         [](const auto& param) { return param.param.name; });

TEST(Framing, ReadsWhatARequestSays) {
  const std::string text =
      "POST /events?x=1 HTTP/1.1\r\nhost: a:80\r\nContent-length: 12\r\nX-Thing: \t some value \t\r\nexpect: "
      "100-Continue\r\n\r\n";
  const auto head = check_framing(text);
  ASSERT_TRUE(head.has_value()) << head.error().detail;
  EXPECT_EQ(head->method, Method::post);
  EXPECT_EQ(head->target, "/events?x=1");
  EXPECT_EQ(head->content_length, 12u);
  EXPECT_FALSE(head->chunked);
  EXPECT_TRUE(head->keep_alive);
  EXPECT_EQ(head->expect, Expect::continue_100);
  EXPECT_EQ(head->field("x-thing"), "some value");
  EXPECT_EQ(head->field("y-thing"), std::nullopt);
}

TEST(Framing, TakesOrdinaryOddities) {
  EXPECT_TRUE(check_framing(get(many_fields(100))).has_value());
  EXPECT_TRUE(check_framing("GET / HTTP/1.0\r\n\r\n").has_value());
  EXPECT_TRUE(check_framing(get(kHost + "A:\r\n")).has_value());
  EXPECT_TRUE(check_framing(get(kHost + "A: \xc3\xa4\r\n")).has_value());
  EXPECT_TRUE(check_framing(get("Host: [::1]:8080\r\n")).has_value());
  EXPECT_EQ(check_framing(post("Transfer-Encoding: Chunked\r\n"))->chunked, true);
  EXPECT_EQ(check_framing("BREW / HTTP/1.1\r\nHost: a\r\n\r\n")->method, Method::other);
  EXPECT_EQ(check_framing("get / HTTP/1.1\r\nHost: a\r\n\r\n")->method, Method::other);
}

TEST(Framing, ConnectionDecidesWhetherItIsKept) {
  EXPECT_FALSE(check_framing(get(kHost + "Connection: close\r\n"))->keep_alive);
  EXPECT_FALSE(check_framing(get(kHost + "Connection: TE , CLOSE\r\n"))->keep_alive);
  EXPECT_TRUE(check_framing(get(kHost + "Connection: keep-alive\r\n"))->keep_alive);
  EXPECT_FALSE(check_framing("GET / HTTP/1.0\r\n\r\n")->keep_alive);
  EXPECT_TRUE(check_framing("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")->keep_alive);
}

TEST(Framing, FindsTheEndHoweverTheBytesArrive) {
  const std::string head = get(kHost);
  const std::string text = head + "next";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const auto first = find_head_end(std::string_view(text).substr(0, cut), 0);
    if (cut >= head.size()) {
      EXPECT_EQ(first.state, HeadEnd::State::complete);
      EXPECT_EQ(first.size, head.size());
      continue;
    }
    ASSERT_EQ(first.state, HeadEnd::State::incomplete);
    const auto second = find_head_end(text, first.size);
    EXPECT_EQ(second.state, HeadEnd::State::complete);
    EXPECT_EQ(second.size, head.size());
  }
}

TEST(Framing, NoticesABareLineFeedBeforeTheHeadIsWhole) {
  EXPECT_EQ(find_head_end("GET / HTTP/1.1\nHo", 0).state, HeadEnd::State::bare_line_feed);
  EXPECT_EQ(find_head_end("\n", 0).state, HeadEnd::State::bare_line_feed);
}

}  // namespace
}  // namespace millrace::http
