// How a store says that it could not do its part. Thrown by stores only.
#pragma once

#include <string>

#include "base/unavailable.h"

namespace millrace::store {

enum class Fate {
  not_done,  // nothing was written (no space, write stall, connection refused); reads may go on
  unknown,   // the commit may or may not have happened; acquire() again settles it
  fenced,    // another node owns the shards now; nothing was written
  broken,    // a failed fsync or a corrupt file: acknowledge nothing more, say why, exit
};

class StoreError : public Unavailable {
 public:
  StoreError(Fate fate, const std::string& what) : Unavailable(what), fate_(fate) {}
  Fate fate() const { return fate_; }

 private:
  Fate fate_;
};

}  // namespace millrace::store
