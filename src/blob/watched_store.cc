#include "blob/watched_store.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace millrace::blob {

WatchedStore::WatchedStore(std::string kind, std::string place, std::unique_ptr<BlobStore> inner)
    : inner_(std::move(inner)) {
  report_.kind = std::move(kind);
  report_.place = std::move(place);
}

void WatchedStore::note(Kind kind, Report::State how) {
  last_[static_cast<std::size_t>(kind)] = how;
  report_.state = *std::ranges::max_element(last_);
}

template <class Call>
auto WatchedStore::watched(Kind kind, Call call) {
  try {
    auto result = call();
    const std::lock_guard lock(mutex_);
    note(kind, Report::State::working);
    return result;
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    note(kind, Report::State::failing);
    report_.last_error = error.what();
    ++report_.failures;
    throw;
  }
}

Put WatchedStore::put(const TenantId& tenant, std::string_view key, std::string_view bytes) {
  const Put done = watched(Kind::write, [&] { return inner_->put(tenant, key, bytes); });
  if (done == Put::taken) return done;
  const std::lock_guard lock(mutex_);
  ++report_.blobs_written;
  report_.bytes_written += bytes.size();
  return done;
}

std::optional<std::string> WatchedStore::get(const TenantId& tenant, std::string_view key) {
  return watched(Kind::read, [&] { return inner_->get(tenant, key); });
}

void WatchedStore::remove(const TenantId& tenant, std::string_view key, Time before) {
  watched(Kind::removal, [&] { return inner_->remove(tenant, key, before), true; });
  const std::lock_guard lock(mutex_);
  ++report_.blobs_removed;
}

Page WatchedStore::list(std::string_view cursor, std::size_t limit) {
  return watched(Kind::read, [&] { return inner_->list(cursor, limit); });
}

Report WatchedStore::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

}  // namespace millrace::blob
