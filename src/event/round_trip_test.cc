// Seeded random events in every form: what goes in comes out by the same form, and an event that travels by
// another form is still the same event (S2.1, S3.2).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "event/attribute_text.h"
#include "event/cloudevents_binary.h"
#include "event/codec_cloudevents.h"
#include "event/codec_keyed.h"
#include "event/codec_native.h"
#include "event/codec_snake.h"
#include "event/shown.h"
#include "event/testing.h"
#include "event/view.h"

namespace millrace::event {
namespace {

using testing::accept;
using testing::arrival;
using testing::canonical;
using testing::member;
using testing::stored;
using testing::written;

constexpr int kEvents = 400;

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return random_() % n; }
  bool chance() { return below(2) == 0; }

  // Text that header fields, keys and JSON each have their trouble with.
  std::string text() {
    static constexpr std::string_view kPieces[] = {
        "a", "B7", " ", "\"", "\\", "%", "%41", "\xc3\xa4", "#", ":", "/", "\xf0\x9f\x98\x80", "{}", "order"};
    std::string text(1, static_cast<char>('a' + below(26)));
    for (std::size_t i = below(5); i > 0; --i) text += kPieces[below(std::size(kPieces))];
    return text;
  }
  std::string json(int depth = 3) {
    switch (below(depth > 0 ? 7 : 5)) {
      case 0:
        return "null";
      case 1:
        return chance() ? "true" : "false";
      case 2:
        return chance() ? "-0.10e+2" : "123456789012345678901234567890";
      case 3:
        return quoted(text());
      case 4:
        return std::to_string(below(1000));
      case 5:
        return "[" + json(depth - 1) + "," + json(depth - 1) + "]";
      default:
        return object(depth - 1);
    }
  }
  std::string object(int depth = 2) {
    return "{" + quoted("k" + text()) + ":" + json(depth) + ",\"x\":" + json(depth) + "}";
  }
  static std::string quoted(std::string_view text) {
    std::string out;
    json::append_string(out, text);
    return out;
  }

 private:
  std::mt19937 random_;
};

// A JSON object that grows.
class Sent {
 public:
  void raw(std::string_view name, std::string_view json) {
    text_ += (text_.empty() ? "" : ",") + Generator::quoted(name) + ":" + std::string(json);
  }
  void text(std::string_view name, std::string_view content) { raw(name, Generator::quoted(content)); }
  std::string json() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

std::string pairs(Generator& g) {
  std::string list;
  for (std::size_t i = g.below(4); i > 0; --i) {
    list += (list.empty() ? "" : ",") + (R"({"key":)" + Generator::quoted(std::to_string(i) + g.text()) +
                                         R"(,"value":)" + Generator::quoted(g.text()) + "}");
  }
  return "[" + list + "]";
}

std::string time_text(Generator& g) {
  static constexpr const char* kTimes[] = {"2025-12-24T10:30:00.000Z", "2025-12-24T10:30:00Z",
                                           "2025-12-24T12:30:00.123456789+02:00"};
  return kTimes[g.below(3)];
}

std::string extensions(Generator& g) {
  return R"({"exta":)" + Generator::quoted(g.text()) + R"(,"extb":)" + std::to_string(g.below(9)) + R"(,"extc":true})";
}

void add_data(Sent& sent, Generator& g, std::string_view data) {
  if (g.below(8) == 0) return sent.raw("data_base64", "\"AAEC\"");
  if (g.below(8) != 0) sent.raw(data, g.json());
}

// Everything that any form can say; `source` and what snake_case requires are always there.
std::string native_event(Generator& g) {
  Sent sent;
  sent.text("type", g.text());
  sent.text("source", g.text());
  sent.text("eventId", g.text());
  sent.text("correlationId", g.text());
  sent.raw("actor", g.object());
  sent.text("schemaVersion", g.chance() ? "1.0" : "2.3");
  sent.raw("contextData", pairs(g));
  if (g.chance()) sent.text("time", time_text(g));
  if (g.chance()) sent.text("subject", g.chance() ? g.text() : "order:" + g.text());
  if (g.chance()) sent.text("causationId", g.text());
  if (g.chance()) sent.text("messageGroup", g.text());
  if (g.chance()) sent.text("deduplicationId", g.text());
  if (g.chance()) sent.text("bus", g.text());
  if (g.chance()) sent.text("app", g.text());
  if (g.chance()) sent.text("producer", g.text());
  if (g.chance()) sent.text("aggregateType", g.text());
  if (g.chance()) sent.text("aggregateId", g.text());
  if (g.below(4) == 0) sent.text("entityType", g.text());
  if (g.below(4) == 0) sent.text("entityId", g.text());
  if (g.chance()) sent.raw("metadata", g.object());
  if (g.chance()) sent.raw("ttl", "1798992000");
  if (g.chance()) sent.text("dataschema", g.chance() ? "https://example.com/s" : g.text());
  if (g.chance()) sent.raw("extensions", extensions(g));
  add_data(sent, g, "data");
  return sent.json();
}

std::string snake_event(Generator& g) {
  Sent sent;
  sent.text("event_id", g.text());
  sent.text("event_type", g.text());
  sent.raw("schema_version", std::to_string(1 + g.below(5)));
  sent.text("occurred_at", time_text(g));
  sent.text("aggregate_id", g.text());
  sent.text("aggregate_type", g.text());
  sent.text(g.chance() ? "organization_id" : "workspace_id", "acme");
  sent.text("correlation_id", g.text());
  sent.raw("actor", g.object());
  if (g.chance()) sent.text("causation_id", g.text());
  if (g.chance()) sent.text("producer", g.text());
  if (g.chance()) sent.raw("metadata", g.object());
  if (g.chance()) sent.raw("context_data", R"([{"key":"a","value":"1"},{"key":"a","value":"2"}])");
  add_data(sent, g, "data");
  return sent.json();
}

std::string keyed_event(Generator& g) {
  Sent sent;
  sent.text("eventType", g.text());
  sent.text("entityType", g.text());
  sent.text("entityId", g.text());
  sent.text("eventId", g.text());
  sent.text("tenantId", "acme");
  sent.raw("timestamp", "1767453739640");
  sent.raw("context", g.chance() ? g.object() : R"({"source":"system","origin":"worker"})");
  if (g.chance()) sent.text("GSI2PK", "APP#" + g.text());
  if (g.chance()) sent.text("source", g.text());
  if (g.chance()) sent.raw("ttl", "1798992000");
  add_data(sent, g, "properties");
  return sent.json();
}

std::string cloud_event(Generator& g) {
  Sent sent;
  sent.text("specversion", "1.0");
  sent.text("id", g.text());
  sent.text("type", g.text());
  sent.text("source", to_uri_reference(g.text()));
  if (g.chance()) sent.text("subject", g.text());
  if (g.chance()) sent.text("time", time_text(g));
  if (g.chance()) sent.text("dataschema", "https://example.com/s");
  if (g.chance()) sent.text("myextension", g.text());
  if (g.chance()) sent.raw("count", "-5");
  if (g.chance()) sent.raw("flag", "false");
  if (g.chance()) sent.text("correlationid", g.text());
  if (g.chance()) {
    add_data(sent, g, "data");
  } else {
    sent.text("datacontenttype", "application/json");
    sent.raw("data", g.json());
  }
  return sent.json();
}

Record record_of(const std::string& body, std::string_view type = "application/json") {
  const auto event = accept(body, arrival(), type);
  EXPECT_TRUE(event) << event.error().detail << "\n" << body;
  return testing::store(event.value());
}

void expect_all_in(const std::string& sent, const std::string& answer) {
  const auto document = json::parse(sent);
  for (const auto [key, value] : document->root().members()) {
    EXPECT_EQ(member(answer, key.get_string()), canonical(value)) << key.raw() << " of " << sent;
  }
}

template <class Write>
void expect_same_form_back(std::string (*make)(Generator&), Write write, std::uint32_t seed) {
  Generator g(seed);
  for (int i = 0; i < kEvents; ++i) {
    const std::string sent = make(g);
    expect_all_in(sent, written(write, record_of(sent)));
    if (::testing::Test::HasFailure()) return;
  }
}

// S2.1, S3.1, S3.2, S0.2
TEST(RoundTrip, GivesEveryFormBackAsItCame) {
  expect_same_form_back(snake_event, write_snake, 1);
  expect_same_form_back(keyed_event, write_keyed, 2);
  expect_same_form_back(cloud_event, write_cloudevent, 3);
}

// The native answer says times in UTC with milliseconds, whatever was sent.
TEST(RoundTrip, AnswersWithAllThatWasSent) {
  Generator g(4);
  for (int i = 0; i < kEvents && !HasFailure(); ++i) {
    const std::string sent = native_event(g);
    const Record record = record_of(sent);
    const std::string answer = written(write_native, record, Answer{});
    EXPECT_EQ(member(answer, "time"), "\"" + format_time(record.header.time) + "\"");
    const auto document = json::parse(sent);
    for (const auto [key, value] : document->root().members()) {
      const bool empty = value.is(json::Kind::array) && value.size() == 0;
      if (key.equals("time") || empty) continue;
      EXPECT_EQ(member(answer, key.get_string()), canonical(value)) << key.raw() << " of " << sent;
    }
  }
}

// What of `rest` must survive any journey. Aggregates are in the header as the entity.
std::string meaning(const Record& record) {
  std::string text;
  for (const char* name : {"data", "data_base64", "actor", "metadata", "producer", "deduplicationId", "schemaVersion",
                           "dataschema", "context"}) {
    text += std::string(name) + "=" + member(*record.rest, name) + "\n";
  }
  for (const char* name : {"exta", "extb", "extc"}) {
    text += std::string(name) + "=" + member(member(*record.rest, "extensions"), name) + "\n";
  }
  return text;
}

void expect_same_event(const Record& there, const Record& here, const std::string& sent) {
  EXPECT_EQ(there.header, here.header) << sent;
  EXPECT_EQ(meaning(there), meaning(here)) << sent;
}

template <class Write>
void expect_survives(Write write, std::uint32_t seed) {
  Generator g(seed);
  for (int i = 0; i < kEvents && !::testing::Test::HasFailure(); ++i) {
    const std::string sent = native_event(g);
    const Record here = record_of(sent);
    expect_same_event(record_of(write(here)), here, sent);
  }
}

// A copy goes to a server that gives `receivedAt` itself.
std::string keyed_copy(const Record& record) {
  std::string text = written(write_keyed, record);
  const std::size_t at = text.rfind(",\"receivedAt\"");
  return text.substr(0, at) + "}";
}

TEST(RoundTrip, IsTheSameEventByAnyForm) {
  expect_survives([](const Record& record) { return written(write_snake, record); }, 5);
  expect_survives(keyed_copy, 6);
  expect_survives([](const Record& record) { return written(write_cloudevent, record); }, 7);
}

// What patterns see of it.
std::string seen(const View& view) {
  std::vector<std::string> fields;
  for (const ViewField& field : view.fields()) {
    std::string text(field.name);
    text += '=';
    if (const auto* content = std::get_if<std::string_view>(&field.value)) text += *content;
    if (const auto* value = std::get_if<json::Value>(&field.value)) text += canonical(*value);
    if (const auto* texts = std::get_if<std::vector<std::string_view>>(&field.value)) {
      for (const std::string_view content : *texts) text += content;
    }
    fields.push_back(text + "\n");
  }
  std::ranges::sort(fields);
  std::string all;
  for (const std::string& field : fields) all += field;
  return all;
}

// S2.8: a stored event as it is shown can be handed back, whatever form it came in.
TEST(RoundTrip, IsTheSameEventFromTheAnswerThatShowsIt) {
  Generator g(9);
  using Make = std::string (*)(Generator&);
  for (int i = 0; i < kEvents && !HasFailure(); ++i) {
    for (const Make make : {Make{native_event}, Make{snake_event}, Make{keyed_event}, Make{cloud_event}}) {
      const Record here = record_of(make(g));
      for (const std::string& answer :
           {written(write_native, here, Answer{.dispatch_jobs = 2, .duplicate = true}), written(write_keyed, here)}) {
        const auto document = json::parse(answer);
        const auto sent = as_sent(document->root());
        ASSERT_TRUE(sent) << answer;
        EXPECT_EQ(seen(View(record_of(*sent))), seen(View(here))) << answer;
      }
    }
  }
}

TEST(AsSent, IsForShownEventsAlone) {
  const Record record = stored(R"({"type":"t","source":"s","data":{"a":1}})");
  const std::string answer = written(write_native, record, Answer{});
  const auto without = [&](const std::string& name) {
    std::string text = answer;
    return text.replace(text.find("\"" + name + "\""), name.size() + 2, "\"other\"");
  };
  for (const std::string& text : {std::string("[]"), std::string("{}"), without("receivedAt"), without("PK"),
                                  without("GSI7SK"), written(write_snake, record), written(write_cloudevent, record)}) {
    const auto document = json::parse(text);
    EXPECT_FALSE(as_sent(document->root())) << text;
  }
}

// S3.2
TEST(RoundTrip, IsTheSameEventInHeaderFields) {
  Generator g(8);
  for (int i = 0; i < kEvents && !HasFailure(); ++i) {
    const std::string sent = cloud_event(g);
    const Record here = record_of(sent);
    BinaryMessage message = write_binary(here);
    std::string type;
    std::vector<HeaderField> fields;
    for (const auto& [name, value] : message.fields) {
      if (name == "content-type") type = value;
      fields.push_back({name, value});
    }
    // Bytes without a type are told from JSON by what they are.
    const auto event = accept(message.body, arrival(), type, fields);
    ASSERT_TRUE(event) << event.error().detail << sent;
    const Record there = testing::store(*event);
    EXPECT_EQ(there.header, here.header) << sent;
    for (const char* name : {"data", "data_base64", "dataschema"}) {
      EXPECT_EQ(member(*there.rest, name), member(*here.rest, name)) << sent;
    }
  }
}

}  // namespace
}  // namespace millrace::event
