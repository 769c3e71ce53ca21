#include "bare/overlapped.h"

#include <utility>

namespace millrace::bench {

void Overlapped::commit(shard::Batch batch) {
  std::unique_ptr<store::Store::Persisted> persisted = store_.persist(epoch_, {&batch, 1});
  room_.acquire();
  applier_->run([this, persisted = std::move(persisted), batch = std::move(batch)] {
    if (persisted) store_.apply(*persisted);
    room_.release();
  });
}

}  // namespace millrace::bench
