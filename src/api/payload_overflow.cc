#include "api/payload_overflow.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

#include "api/query.h"
#include "base/assert.h"
#include "base/log.h"
#include "json/escape.h"
#include "json/parse.h"
#include "json/writer.h"

namespace millrace::api {
namespace {

constexpr char kOurs = ' ';
constexpr std::string_view kMember = "_s3Overflow";

bool is_moved(const std::string& payload) { return payload.starts_with(kOurs); }

std::string new_key(const queue::QueueKey& queue, Time now) {
  std::array<std::uint8_t, 10> random{};
  MR_ASSERT(getrandom(random.data(), random.size(), 0) == static_cast<ssize_t>(random.size()), "the kernel has noise");
  return fmt::format("items/{}/{}-payload.json", queue.name, make_uuid_v7(to_ms(now), random));
}

enum class Presence { there, missing };

std::string reference(const std::string& bucket, const std::string& key, Presence presence) {
  std::string text(1, kOurs);
  json::Writer out(text);
  out.begin_object();
  out.key(kMember);
  out.begin_object();
  out.member("bucket", bucket);
  out.member("key", key);
  if (presence == Presence::missing) out.member("missing", true);
  out.end_object();
  out.end_object();
  return text;
}

void tell_missing(const TenantId& tenant, const std::string& key) {
  std::string text;
  json::append_string(text, key);
  spdlog::error(R"("msg":"a payload is missing from the blob store","tenant":"{}","key":{})", tenant.text(), text);
}

// The body with its payload in place.
std::shared_ptr<const queue::Body> inlined(blob::BlobStore& store, const TenantId& tenant, const queue::Body& body) {
  const std::string key = overflow_key(body.payload);
  auto whole = std::make_shared<queue::Body>(body);
  if (auto payload = store.get(tenant, key)) {
    whole->payload = *std::move(payload);
  } else {
    tell_missing(tenant, key);
    whole->payload = reference(store.bucket(), key, Presence::missing);
  }
  return whole;
}

}  // namespace

Result<PayloadForm> read_payload_form(const http::Request& request) {
  const auto form = Query(request.target.query).text("payload", 20);
  if (!form) return std::unexpected(form.error());
  if (!*form || **form == "inline") return PayloadForm::inlined;
  if (**form == "reference") return PayloadForm::reference;
  return fail(Errc::bad_query, "query parameter \"payload\" must be inline or reference", "payload");
}

std::string overflow_key(const std::string& payload) {
  if (!is_moved(payload)) return "";
  const auto document = json::parse(std::string_view(payload));
  const auto reference = document ? document->root().find(kMember) : std::nullopt;
  const auto key = reference ? reference->find("key") : std::nullopt;
  return key && key->is(json::Kind::string) ? key->get_string() : "";
}

bool any_is_large(const Services& services, const std::vector<shard::NewItem>& items) {
  return std::ranges::any_of(
      items, [&](const auto& item) { return item.body->payload.size() > services.queue.overflow_bytes; });
}

bool any_is_moved(const Bodies& bodies) {
  return std::ranges::any_of(bodies, [](const auto& body) { return is_moved(body->payload); });
}

async::Async<std::vector<std::string>> move_large_payloads(Services& services, queue::QueueKey queue,
                                                           std::vector<shard::NewItem>& items) {
  std::vector<std::string> moved(items.size());
  std::vector<std::size_t> large;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].body->payload.size() > services.queue.overflow_bytes) large.push_back(i);
  }
  if (large.empty()) co_return moved;
  co_await run_on_blobs(services.blobs, [&] {
    blob::BlobStore& store = services.blobs.store;
    for (const std::size_t i : large) {
      std::string& payload = items[i].body->payload;
      const std::string key = new_key(queue, services.clock.now());
      const blob::Put put = store.put(queue.tenant, key, payload);
      MR_ASSERT(put == blob::Put::stored, "a key that was just drawn is free");
      moved[i] = std::exchange(payload, reference(store.bucket(), key, Presence::there));
    }
  });
  co_return moved;
}

async::Async<void> inline_payloads(Services& services, TenantId tenant, PayloadForm form, Bodies& bodies) {
  if (form == PayloadForm::reference) co_return;
  std::vector<std::size_t> moved;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (is_moved(bodies[i]->payload)) moved.push_back(i);
  }
  if (moved.empty()) co_return;
  co_await run_on_blobs(services.blobs, [&] {
    for (const std::size_t i : moved) bodies[i] = inlined(services.blobs.store, tenant, *bodies[i]);
  });
}

}  // namespace millrace::api
