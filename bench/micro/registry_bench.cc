// What the validation of an event costs, beside the parsing that comes before it in any case.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "json/parse.h"
#include "registry/json_schema/schema.h"

namespace {

using namespace millrace;
using registry::json_schema::Schema;

// An order as a shop would publish it, about 900 bytes.
constexpr std::string_view kEvent =
    R"({"event_id":"0192f0c1-7e6b-7c3a-9d5e-3f1a2b4c5d6e","event_type":"ecommerce:orders:order:placed","schema_version":1,)"
    R"("occurred_at":"2025-12-24T10:30:00.000Z","organization_id":"org_01HZX3T9Q4","correlation_id":"c-20251224-000173",)"
    R"("data":{"order":{"id":"ord_01HZX3T9Q4","number":173,"total":149.95,"currency":"EUR","paid":true,)"
    R"("lines":[{"sku":"MR-100","name":"Mill stone, small","count":2,"price":49.95},)"
    R"({"sku":"MR-207","name":"Race gate","count":1,"price":50.05}]},"customer":{"id":"cus_8812","name":"Jo Ann Miller",)"
    R"("email":"jo.miller@example.com","language":"de","address":{"street":"Am Wehr 7","city":"Muehlhausen","zip":"99974",)"
    R"("country":"DE"}},"template":"order-confirmation","attachments":[{"kind":"invoice",)"
    R"("url":"https://files.example.com/invoices/2025/173.pdf","bytes":84213}],"note":"Please ring twice, the bell is old."}})";

constexpr std::string_view kSchema = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["event_id", "event_type", "schema_version", "data"],
  "properties": {
    "event_id": {"type": "string", "minLength": 36, "maxLength": 36},
    "event_type": {"const": "ecommerce:orders:order:placed"},
    "schema_version": {"type": "integer", "minimum": 1},
    "data": {
      "type": "object",
      "required": ["order", "customer"],
      "properties": {
        "order": {
          "type": "object",
          "required": ["id", "total", "currency", "lines"],
          "properties": {
            "id": {"type": "string", "pattern": "^ord_"},
            "total": {"type": "number", "minimum": 0},
            "currency": {"enum": ["EUR", "USD", "GBP", "CHF"]},
            "lines": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/line"}}
          }
        },
        "customer": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}
      }
    }
  },
  "$defs": {
    "line": {
      "type": "object",
      "required": ["sku", "count"],
      "properties": {"sku": {"type": "string"}, "count": {"type": "integer", "minimum": 1}}
    }
  }
})";

std::shared_ptr<const Schema> compiled(std::string_view text, bool assert_formats = false) {
  return *Schema::compile(text, {.assert_formats = assert_formats});
}

void run_validate(benchmark::State& state, const Schema& schema) {
  const auto document = json::parse(kEvent);
  if (!schema.is_valid(document->root())) state.SkipWithError("the event does not fit");
  for (auto _ : state) benchmark::DoNotOptimize(schema.is_valid(document->root()));
  state.SetLabel(std::to_string(kEvent.size()) + " bytes");
}

void parse_event(benchmark::State& state) {
  json::Document document;
  for (auto _ : state) benchmark::DoNotOptimize(json::parse_into(document, kEvent).has_value());
}
BENCHMARK(parse_event);

void validate_event(benchmark::State& state) { run_validate(state, *compiled(kSchema)); }
BENCHMARK(validate_event);

// Every place of the event named, as a closed schema does it.
void validate_closed_event(benchmark::State& state) {
  run_validate(state,
               *compiled(R"({"$ref":"#/$defs/any","$defs":{"any":{"type":["object","array","string","number","boolean"],
    "additionalProperties":{"$ref":"#/$defs/any"},"items":{"$ref":"#/$defs/any"},"maxLength":200}}})"));
}
BENCHMARK(validate_closed_event);

void validate_patterns_and_formats(benchmark::State& state) {
  run_validate(state, *compiled(R"({"properties":{"event_id":{"format":"uuid"},"occurred_at":{"format":"date-time"},
    "event_type":{"pattern":"^[a-z]+(:[a-z]+){3}$"}},"unevaluatedProperties":true})",
                                true));
}
BENCHMARK(validate_patterns_and_formats);

void explain_wrong_event(benchmark::State& state) {
  const auto schema = compiled(R"({"properties":{"schema_version":{"type":"string"}},"required":["absent"]})");
  const auto document = json::parse(kEvent);
  for (auto _ : state) benchmark::DoNotOptimize(schema->validate(document->root()));
}
BENCHMARK(explain_wrong_event);

void compile_schema(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Schema::compile(kSchema));
}
BENCHMARK(compile_schema)->Unit(benchmark::kMicrosecond);

}  // namespace
