// Any bytes as the body of a request: decoding neither crashes nor reads outside them, and what it accepts can
// be written in every form as valid JSON, shown to patterns, and split and put together again.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "event/body.h"
#include "event/codec_cloudevents.h"
#include "event/codec_keyed.h"
#include "event/codec_native.h"
#include "event/codec_snake.h"
#include "event/normalise.h"
#include "event/overflow.h"
#include "event/view.h"
#include "json/parse.h"

namespace {

using namespace millrace;
using namespace millrace::event;

constexpr std::array<std::uint8_t, 10> kRandom{};

Result<NewEvent> accept(const Draft& draft) {
  const Arrival arrival{.tenant = TenantId::default_tenant(),
                        .reach = Reach::every_tenant,
                        .now = time_from_ms(1'767'453'739'640),
                        .correlation_id = "c"};
  return normalise(draft, arrival, kRandom);
}

Record record_of(const NewEvent& event) {
  return {.tenant = event.tenant,
          .position = Position{1},
          .tsid = 1,
          .received = event.header.time,
          .header = event.header,
          .rest = event.rest};
}

template <class Write>
std::string written(Write write) {
  std::string text;
  json::Writer out(text);
  write(out);
  MR_ASSERT(json::parse(text, {.depth = 80}).has_value(), "what is written is JSON");
  return text;
}

void check_overflow(const Record& record) {
  const auto split = split_overflow(record.header, *record.rest, {.bucket = "b", .threshold_bytes = 0});
  if (!split) return;
  MR_ASSERT(overflow_of(split->rest) == split->blob, "the reference is found again");
  MR_ASSERT(resolve_overflow(split->rest, split->payload).has_value(), "what was moved comes back");
}

void check(const Draft& draft) {
  const Result<NewEvent> event = accept(draft);
  if (!event) return;
  const Record record = record_of(*event);
  const View view(*event);
  MR_ASSERT(view.find("id") != nullptr, "every event has an id");
  written([&](json::Writer& out) { write_native(out, record); });
  written([&](json::Writer& out) { write_snake(out, record); });
  written([&](json::Writer& out) { write_public(out, record); });
  written([&](json::Writer& out) { write_keyed(out, record); });
  written([&](json::Writer& out) { write_cloudevent(out, record); });
  write_binary(record);
  check_overflow(record);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  for (const char* type : {"application/json", "application/cloudevents+json", "application/cloudevents-batch+json"}) {
    const Result<Drafts> drafts = read_body(type, {}, body);
    if (!drafts) continue;
    for (const Result<Draft>& draft : drafts->events) {
      if (draft) check(*draft);
    }
  }
  return 0;
}
