// What a request body costs at the JSON edge: parsing, reading its fields, writing an answer.
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <string>

#include "json/compact.h"
#include "json/object_reader.h"
#include "json/parse.h"
#include "json/writer.h"

namespace {

using namespace millrace;

// A work item as a caller would send it, 940 bytes without whitespace between tokens.
std::string usual_body() {
  std::string body =
      R"({"title":"Send the order confirmation","description":"Mail with the invoice attached, in the customer's language.",)"
      R"("tags":["mail","orders","eu-central","invoice"],"priority":10,"max_retries":5,"idempotency_key":"order-20251224-000173",)"
      R"("run_at":"2025-12-24T10:30:00.000Z","payload":{"order":{"id":"ord_01HZX3T9Q4","number":173,"total":149.95,"currency":"EUR",)"
      R"("paid":true,"lines":[{"sku":"MR-100","name":"Mill stone, small","count":2,"price":49.95},)"
      R"({"sku":"MR-207","name":"Race gate","count":1,"price":50.05}]},"customer":{"id":"cus_8812","name":"Jo Ann Miller",)"
      R"("email":"jo.miller@example.com","language":"de","address":{"street":"Am Wehr 7","city":"Muehlhausen","zip":"99974","country":"DE"}},)"
      R"("template":"order-confirmation","attachments":[{"kind":"invoice","url":"https://files.example.com/invoices/2025/173.pdf","bytes":84213}],"note":")";
  body.append(940 - 3 - body.size(), 'x');
  return body + "\"}}";
}

// A line a member, as people write it.
std::string indented(const std::string& compact) {
  std::string out;
  for (std::size_t i = 0; i < compact.size(); ++i) {
    out.push_back(compact[i]);
    const bool before_key = (compact[i] == ',' || compact[i] == '{') && compact[i + 1] == '"';
    if (before_key) out.append("\n    ");
  }
  return out;
}

void run_parse(benchmark::State& state, const std::string& text) {
  json::Document document;
  if (!json::parse_into(document, text)) state.SkipWithError("the body does not parse");
  for (auto _ : state) {
    benchmark::DoNotOptimize(json::parse_into(document, text).has_value());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
  state.SetLabel(std::to_string(text.size()) + " bytes");
}

void parse_usual_body(benchmark::State& state) { run_parse(state, usual_body()); }
void parse_indented_body(benchmark::State& state) { run_parse(state, indented(usual_body())); }
BENCHMARK(parse_usual_body);
BENCHMARK(parse_indented_body);

void parse_into_new_document(benchmark::State& state) {
  const std::string text = usual_body();
  for (auto _ : state) benchmark::DoNotOptimize(json::parse(text));
}
BENCHMARK(parse_into_new_document);

void parse_many_keys(benchmark::State& state) {
  std::string text = "{";
  for (int i = 0; i < state.range(0); ++i) text += "\"k" + std::to_string(i) + "\":0,";
  text.back() = '}';
  run_parse(state, text);
}
BENCHMARK(parse_many_keys)->Arg(64)->Arg(100'000)->Unit(benchmark::kMicrosecond);

// The peer: simdjson's DOM, which refuses big integers and says no position.
void peer_simdjson_dom(benchmark::State& state) {
  const simdjson::padded_string text(usual_body());
  simdjson::dom::parser parser;
  for (auto _ : state) benchmark::DoNotOptimize(parser.parse(text).error());
}
BENCHMARK(peer_simdjson_dom);

void read_fields(benchmark::State& state) {
  const std::string text = usual_body();
  json::Document document;
  if (!json::parse_into(document, text)) state.SkipWithError("the body does not parse");
  for (auto _ : state) {
    const auto reader = json::ObjectReader::open(document.root());
    benchmark::DoNotOptimize(reader->required_string("title", 1000));
    benchmark::DoNotOptimize(reader->optional_string("description", 1000));
    benchmark::DoNotOptimize(reader->optional_strings("tags", 64, 200));
    benchmark::DoNotOptimize(reader->optional_int("priority", 0, 100));
    benchmark::DoNotOptimize(reader->optional_int("max_retries", 0, 100));
    benchmark::DoNotOptimize(reader->optional_time("run_at"));
    std::string payload;
    json::append_compact(payload, *reader->optional_value("payload"));
    benchmark::DoNotOptimize(payload);
  }
}
BENCHMARK(read_fields);

void write_answer(benchmark::State& state) {
  std::string out;
  for (auto _ : state) {
    out.clear();
    json::Writer writer(out);
    writer.begin_object();
    writer.member("id", 4711);
    writer.member("title", "Send the order confirmation");
    writer.member("description", "Mail with the invoice attached, \"in\" the customer's language.");
    writer.member("status", "PENDING");
    writer.member("created_at", time_from_ms(1'766'572'200'000));
    writer.key("tags");
    writer.begin_array();
    for (const char* tag : {"mail", "orders", "eu-central"}) writer.string(tag);
    writer.end_array();
    writer.end_object();
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK(write_answer);

}  // namespace
