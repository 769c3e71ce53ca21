// Any bytes as the body of a create or settle: refused with a reason, or taken within the limits.
#include <cstdint>
#include <string_view>

#include "api/queue_new_items.h"
#include "api/queue_outcomes.h"
#include "base/assert.h"
#include "base/limits.h"
#include "json/parse.h"

using namespace millrace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = json::parse(text);
  if (!document) return 0;
  api::QueueSettings settings;
  settings.payload_bytes_max = 64;
  if (const auto created = api::read_create(document->root(), settings, time_from_ms(1'700'000'000'000))) {
    for (const shard::NewItem& item : created->items) {
      MR_ASSERT(!item.body->title.empty() && item.body->title.size() <= limits::kTitleBytesMax, "titles are bounded");
      MR_ASSERT(item.body->payload.size() <= settings.payload_bytes_max, "payloads are bounded");
      MR_ASSERT(json::parse(std::string_view(item.body->payload)).has_value(), "a payload stays JSON");
      MR_ASSERT(item.tags.size() <= limits::kTagsPerItemMax, "tags are bounded");
    }
  } else {
    MR_ASSERT(!created.error().detail.empty(), "a refusal says why");
  }
  const queue::QueueKey queue{TenantId::default_tenant(), api::kEventsQueue};
  if (const auto settle = api::read_settle(document->root(), queue, settings)) {
    MR_ASSERT(settle->outcomes.size() <= limits::kSettlesPerCallMax, "outcomes are bounded");
  }
  return 0;
}
