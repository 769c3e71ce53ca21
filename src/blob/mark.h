// Whose blobs a place holds, said by the place itself: what nothing refers to is removed, so a place that two
// installations were pointed at would lose the blobs of both (docs/adr/0015). Calls block and may come from any thread;
// they throw Unavailable.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace millrace::blob {

// The name of the mark in a folder, and of the object below a prefix: none of a tenant.
inline constexpr std::string_view kMarkName = ".millrace-installation";

class Mark {
 public:
  virtual ~Mark() = default;

  // The installation that the place belongs to; nullopt where no mark is.
  virtual std::optional<std::string> owner() = 0;
  // Marks a place that has no mark, durably. False: another one was faster, and its mark stays.
  virtual bool mark_first(std::string_view installation) = 0;
  // Marks it whoever had it.
  virtual void mark_anew(std::string_view installation) = 0;
  // How long what owner() said may be relied on; zero where asking costs nothing.
  virtual Millis good_for() const = 0;
};

// The owner of a place whose mark cannot be read.
inline constexpr std::string_view kDamaged = "damaged";

// The mark's bytes and back. What is no mark of ours still says that the place is somebody's; kDamaged where it is not
// the 32 hexadecimal digits that an installation has, as after a write that was cut short: part of an id is nobody's.
std::string mark_text(std::string_view installation);
std::string installation_in(std::string_view mark);

}  // namespace millrace::blob
