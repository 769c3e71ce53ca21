// A blob store that writes and removes only while its place belongs to this installation, as the place's mark says
// (mark.h). The mark is asked for again now and then: another installation may have been given the place meanwhile.
// Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/unavailable.h"
#include "blob/blob_store.h"

namespace millrace::blob {

struct Ownership {
  // What becomes of a place that holds blobs but no mark, as versions before marks left it.
  enum class Unmarked {
    refused,  // nobody knows whose they are
    adopted,  // for a place that can only be this installation's: the one in its data folder
  };
  std::string installation;
  std::string place;  // as messages call it
  Unmarked unmarked = Unmarked::refused;
  // The owner that the operator says is gone, kDamaged or kUnmarked: only from this one is a place taken. "" = from
  // nobody.
  std::string take_over_from = {};
};
inline constexpr std::string_view kUnmarked = "unmarked";

// Of the place that --blobs names; "" is the folder `blobs` in `data`, which others have no business in.
Ownership ownership_of(const std::string& blobs, const std::string& data, std::string installation,
                       std::string take_over_from = "");

// The place is another installation's, or may be. What it says names both and what to do.
struct ForeignPlace : Unavailable {
  using Unavailable::Unavailable;
};

class OwnedStore final : public BlobStore {
 public:
  // REQUIRES: `inner` has a mark. `clock` outlives this.
  OwnedStore(std::unique_ptr<BlobStore> inner, Ownership ownership, const Clock& clock);

  // Marks a place that is nobody's, or finds that it is this installation's. Throws ForeignPlace; Unavailable if the
  // place cannot be asked now, and then whatever writes asks again.
  void claim();

  std::string bucket() const override { return inner_->bucket(); }
  Put put(const TenantId& tenant, std::string_view key, std::string_view bytes) override;
  // Reading another's place hurts nobody.
  std::optional<std::string> get(const TenantId& tenant, std::string_view key) override;
  void remove(const TenantId& tenant, std::string_view key, Time before) override;
  // Only of an own place: whoever lists it is about to remove something.
  Page list(std::string_view cursor, std::size_t limit) override;
  Mark* mark() override { return inner_->mark(); }
  // That the place is not ours counts as failing.
  Report report() const override;

 private:
  enum class Taking { claimed, adopted, taken_over };

  void require_own();
  void require_still_own();  // whatever was relied on until now
  // REQUIRES: asking_ is held, for these.
  template <class Ask>
  void ask_place(Ask ask);  // what it cannot be asked is told by report()
  void claim_or_refuse();
  void verify();
  void take(Taking how);
  void accept();
  void note_refusal(std::string why);
  [[noreturn]] void refuse(const std::string& why);

  std::unique_ptr<BlobStore> inner_;
  Ownership ownership_;
  const Clock& clock_;
  std::mutex asking_;             // while the place is asked, which may take long
  std::optional<Time> verified_;  // when the mark was last seen to be ours; guarded by asking_
  mutable std::mutex mutex_;
  std::string refused_;  // why the place is not ours; guarded by mutex_
};

// The store behind its guard; as it is where the place cannot be anybody else's. Throws ForeignPlace. A place that
// cannot be asked just now is logged and asked again before the first write.
std::unique_ptr<BlobStore> claim_place(std::unique_ptr<BlobStore> store, Ownership ownership, const Clock& clock);
// The same, asked for the first time when something is written.
std::unique_ptr<BlobStore> guard_place(std::unique_ptr<BlobStore> store, Ownership ownership, const Clock& clock);

}  // namespace millrace::blob
