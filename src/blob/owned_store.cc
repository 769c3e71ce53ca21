#include "blob/owned_store.h"

#include <fmt/format.h>

#include <utility>

#include "base/assert.h"
#include "base/log.h"

namespace millrace::blob {
namespace {

// A place whose first page holds no blob is empty, or holds things that are none.
constexpr std::size_t kLookAt = 1000;

}  // namespace

Ownership ownership_of(const std::string& blobs, const std::string& data, std::string installation,
                       std::string take_over_from) {
  const bool beside = blobs.empty();
  return {.installation = std::move(installation),
          .place = beside ? data + "/blobs" : blobs,
          .unmarked = beside ? Ownership::Unmarked::adopted : Ownership::Unmarked::refused,
          .take_over_from = std::move(take_over_from)};
}

OwnedStore::OwnedStore(std::unique_ptr<BlobStore> inner, Ownership ownership, const Clock& clock)
    : inner_(std::move(inner)), ownership_(std::move(ownership)), clock_(clock) {
  MR_ASSERT(inner_->mark() != nullptr, "only a place with a mark can be owned");
}

void OwnedStore::claim() {
  const std::lock_guard lock(asking_);
  ask_place([this] { claim_or_refuse(); });
}

void OwnedStore::require_own() {
  const std::lock_guard lock(asking_);
  const Time now = clock_.now();
  ask_place([&] {
    if (!verified_) return claim_or_refuse();
    if (now < *verified_ || now - *verified_ >= inner_->mark()->good_for()) verify();
  });
}

void OwnedStore::require_still_own() {
  const std::lock_guard lock(asking_);
  ask_place([this] { verified_ ? verify() : claim_or_refuse(); });
}

template <class Ask>
void OwnedStore::ask_place(Ask ask) {
  try {
    ask();
  } catch (const ForeignPlace&) {
    throw;
  } catch (const Unavailable& error) {
    note_refusal(fmt::format("whose the blobs in {} are cannot be asked: {}", ownership_.place, error.what()));
    throw;
  }
}

void OwnedStore::accept() {
  verified_ = clock_.now();
  const std::lock_guard lock(mutex_);
  refused_.clear();
}

void OwnedStore::claim_or_refuse() {
  const std::string& ours = ownership_.installation;
  const std::optional<std::string> owner = inner_->mark()->owner();
  if (owner == ours) return accept();
  if (owner && *owner == ownership_.take_over_from) return take(Taking::taken_over);
  if (owner == kDamaged) {
    refuse(
        fmt::format("{} has a mark ({}) that cannot be read, so that nobody knows whose the blobs are: name another "
                    "folder or prefix with --blobs, or, if they are those of this installation ({}) and nobody else "
                    "uses the place, say so with --blobs-take-over {}",
                    ownership_.place, kMarkName, ours, kDamaged));
  }
  if (owner) {
    refuse(
        fmt::format("{} holds the blobs of installation {}, and this is installation {}, to which they are orphans: "
                    "name another folder or prefix with --blobs, or, if the other one is gone for good, take them "
                    "over with --blobs-take-over {}",
                    ownership_.place, *owner, ours, *owner));
  }
  const Page page = inner_->list("", kLookAt);
  const bool adopted = ownership_.unmarked == Ownership::Unmarked::adopted || ownership_.take_over_from == kUnmarked;
  if (page.entries.empty() && page.next.empty()) return take(Taking::claimed);
  if (adopted) return take(Taking::adopted);
  refuse(
      fmt::format("{} holds blobs, and no mark says whose: name another folder or prefix with --blobs, or, if an "
                  "earlier version of this installation ({}) put them there and nobody else uses the place, say so "
                  "with --blobs-take-over {}",
                  ownership_.place, ours, kUnmarked));
}

void OwnedStore::take(Taking how) {
  constexpr std::string_view kSaid[] = {"claimed", "adopted", "taken over"};
  const std::string& ours = ownership_.installation;
  if (how == Taking::taken_over) {
    inner_->mark()->mark_anew(ours);
  } else {
    inner_->mark()->mark_first(ours);
  }
  // Whoever was faster, or wrote over it because the server does not know conditions, is seen now.
  if (const auto owner = inner_->mark()->owner(); owner != ours) {
    refuse(fmt::format("{} was claimed by installation {} at the same moment; this one is {}", ownership_.place,
                       owner.value_or("(none)"), ours));
  }
  accept();
  spdlog::info(R"("msg":"the place of the blobs was {}","place":{},"installation":"{}")",
               kSaid[static_cast<std::size_t>(how)], quoted(ownership_.place), ours);
}

void OwnedStore::verify() {
  const auto owner = inner_->mark()->owner();
  if (owner == ownership_.installation) return accept();
  verified_ = Time{};  // asked again each time, until it is ours
  if (owner == kDamaged) {
    refuse(
        fmt::format("the mark of {} ({}) cannot be read any more; if nobody else uses the place, restart with "
                    "--blobs-take-over {}",
                    ownership_.place, kMarkName, kDamaged));
  }
  if (owner) {
    refuse(fmt::format("{} was taken over by installation {}; this is {}", ownership_.place, *owner,
                       ownership_.installation));
  }
  // Not marked again: an empty mount point would be taken for the disk that should be there.
  refuse(
      fmt::format("the mark of {} ({}) is gone: is it still mounted? If only the mark was removed, restart with "
                  "--blobs-take-over {}",
                  ownership_.place, kMarkName, kUnmarked));
}

void OwnedStore::note_refusal(std::string why) {
  const std::lock_guard lock(mutex_);
  refused_ = std::move(why);
}

void OwnedStore::refuse(const std::string& why) {
  note_refusal(why);
  throw ForeignPlace("blob store: " + why);
}

Put OwnedStore::put(const TenantId& tenant, std::string_view key, std::string_view bytes) {
  require_own();
  return inner_->put(tenant, key, bytes);
}

std::optional<std::string> OwnedStore::get(const TenantId& tenant, std::string_view key) {
  auto found = inner_->get(tenant, key);
  // A place that is not there any more has none: only one that is ours can have lost a blob.
  if (!found) require_still_own();
  return found;
}

void OwnedStore::remove(const TenantId& tenant, std::string_view key, Time before) {
  require_own();
  inner_->remove(tenant, key, before);
}

Page OwnedStore::list(std::string_view cursor, std::size_t limit) {
  require_own();
  return inner_->list(cursor, limit);
}

Report OwnedStore::report() const {
  Report report = inner_->report();
  const std::lock_guard lock(mutex_);
  if (refused_.empty()) return report;
  report.state = Report::State::failing;
  report.last_error = refused_;
  return report;
}

std::unique_ptr<BlobStore> guard_place(std::unique_ptr<BlobStore> store, Ownership ownership, const Clock& clock) {
  if (store->mark() == nullptr) return store;
  return std::make_unique<OwnedStore>(std::move(store), std::move(ownership), clock);
}

std::unique_ptr<BlobStore> claim_place(std::unique_ptr<BlobStore> store, Ownership ownership, const Clock& clock) {
  if (store->mark() == nullptr) return store;
  auto owned = std::make_unique<OwnedStore>(std::move(store), std::move(ownership), clock);
  try {
    owned->claim();
  } catch (const ForeignPlace&) {
    throw;
  } catch (const Unavailable& error) {
    spdlog::warn(R"("msg":"whose the blobs are cannot be asked now; nothing is written there before","why":{})",
                 quoted(error.what()));
  }
  return owned;
}

}  // namespace millrace::blob
