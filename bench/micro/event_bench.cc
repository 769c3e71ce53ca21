// What an event costs between its bytes and the commit: reading each form, the keys, the answer.
#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "event/body.h"
#include "event/codec_native.h"
#include "event/keys.h"
#include "event/normalise.h"
#include "event/recognise.h"
#include "event/view.h"
#include "json/parse.h"
#include "json/writer.h"

namespace {

using namespace millrace;
using namespace millrace::event;

constexpr std::array<std::uint8_t, 10> kRandom{};

// The order of a shop, filled up to 940 bytes.
std::string with_data(std::string fields) {
  fields += R"({"order":{"id":"ord_01HZX3T9Q4","number":173,"total":149.95,"currency":"EUR","paid":true,)"
            R"("lines":[{"sku":"MR-100","name":"Mill stone, small","count":2,"price":49.95},)"
            R"({"sku":"MR-207","name":"Race gate","count":1,"price":50.05}]},"customer":{"id":"cus_8812",)"
            R"("email":"jo.miller@example.com","language":"de"},"note":")";
  fields.append(940 - 3 - fields.size(), 'x');
  return fields + "\"}}";
}

std::string native_body() {
  return with_data(
      R"({"type":"order.created","source":"ecommerce-api","subject":"order:12345","time":"2025-12-24T10:30:00.000Z",)"
      R"("eventId":"0193f8a2-6c1e-7b3a-9d55-1f2e3d4c5b6a","correlationId":"req-01HZX3T9Q4","messageGroup":"order:12345",)"
      R"("contextData":[{"key":"customer_id","value":"cust_789"},{"key":"region","value":"us-west"}],"data":)");
}

std::string snake_body() {
  return with_data(
      R"({"event_type":"order.created","event_id":"0193f8a2-6c1e-7b3a-9d55-1f2e3d4c5b6a","schema_version":1,)"
      R"("occurred_at":"2025-12-24T10:30:00.000Z","aggregate_id":"12345","aggregate_type":"order",)"
      R"("organization_id":"default","correlation_id":"req-01HZX3T9Q4","actor":{"type":"user","id":"42"},"data":)");
}

std::string cloudevent_body() {
  return with_data(
      R"({"specversion":"1.0","type":"order.created","source":"/shop","id":"0193f8a2-6c1e-7b3a-9d55-1f2e3d4c5b6a",)"
      R"("subject":"order:12345","time":"2025-12-24T10:30:00.000Z","partitionkey":"order:12345","data":)");
}

Arrival arrival() {
  return {.tenant = TenantId::default_tenant(), .now = time_from_ms(1'766'572'200'000), .correlation_id = "c"};
}

Record record_of(const std::string& body) {
  Result<Drafts> drafts = read_body("application/json", {}, body);
  const Result<NewEvent> event = normalise(*std::move(drafts->events.front()), arrival(), kRandom);
  return {.tenant = event->tenant,
          .position = Position{1},
          .tsid = 1,
          .received = event->header.time,
          .header = event->header,
          .rest = event->rest};
}

// Without the parsing of the text, which json_bench measures.
void run_decode(benchmark::State& state, const std::string& body) {
  json::Document document;
  if (!json::parse_into(document, body) || !decode(document.root())) state.SkipWithError("the body does not decode");
  for (auto _ : state) benchmark::DoNotOptimize(decode(document.root()));
  state.SetLabel(std::to_string(body.size()) + " bytes");
}
void decode_native_event(benchmark::State& state) { run_decode(state, native_body()); }
void decode_snake_event(benchmark::State& state) { run_decode(state, snake_body()); }
void decode_cloudevent_event(benchmark::State& state) { run_decode(state, cloudevent_body()); }
BENCHMARK(decode_native_event);
BENCHMARK(decode_snake_event);
BENCHMARK(decode_cloudevent_event);

// From the bytes to the event that is accepted.
void read_and_normalise(benchmark::State& state) {
  const std::string body = native_body();
  const Arrival from = arrival();
  for (auto _ : state) {
    Result<Drafts> drafts = read_body("application/json", {}, body);
    benchmark::DoNotOptimize(normalise(*std::move(drafts->events.front()), from, kRandom));
  }
}
BENCHMARK(read_and_normalise);

void make_all_keys(benchmark::State& state) {
  const Record record = record_of(native_body());
  for (auto _ : state) benchmark::DoNotOptimize(keys_of(record.tenant, record.header));
}
BENCHMARK(make_all_keys);

void write_answer(benchmark::State& state) {
  const Record record = record_of(native_body());
  const Answer answer{.properties = Properties::when_keyed, .dispatch_jobs = 2};
  std::string out;
  for (auto _ : state) {
    out.clear();
    json::Writer writer(out);
    write_native(writer, record, answer);
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK(write_answer);

void show_to_patterns(benchmark::State& state) {
  const std::string body = native_body();
  Result<Drafts> drafts = read_body("application/json", {}, body);
  const Result<NewEvent> event = normalise(*std::move(drafts->events.front()), arrival(), kRandom);
  for (auto _ : state) {
    const View view(*event);
    benchmark::DoNotOptimize(view.fields().data());
  }
}
BENCHMARK(show_to_patterns);

}  // namespace
