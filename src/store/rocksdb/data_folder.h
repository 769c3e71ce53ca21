// The folder that the embedded store lives in: made, checked, and looked at for an operator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/finding.h"

namespace millrace::store::rocks {

// Below this much free space commits are refused while there still is room to finish what is under way
// (a write-ahead log, a flush of the write buffers).
inline constexpr std::uint64_t kFreeBytesMin = std::uint64_t{256} << 20;

// Makes the folder (mode 0700, its parents too) if it does not exist, durably. Throws StoreError if it cannot be
// used: no folder, another user's, not readable or writable.
void prepare_folder(const std::string& path);

// Makes the names in a folder durable, if it is ours to open. A new folder is durable only once its parent is. Throws
// StoreError.
void sync_folder(const std::string& path);

// Permissions that let others in, a nearly full disk (below 5 % or 1 GiB).
Findings folder_findings(const std::string& path);

// What this process may still write there; nullopt if the system does not say.
std::optional<std::uint64_t> free_bytes(const std::string& path);

}  // namespace millrace::store::rocks
