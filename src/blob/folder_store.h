// Blobs as files: ROOT/<tenant>/<two digits>/<key as a file name>, readable by the owner alone.
//
// A blob is written to an unfinished file, synced, given its name and the folder synced, in this order: a name always
// has all of its bytes, and what was answered is there after a power failure.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "blob/blob_store.h"

namespace millrace::blob {

struct FolderOptions {
  std::string root;
  // fsync(2); tests put a disk that fails in its place.
  std::function<int(int file)> sync = {};
};

// Makes the folder if it is missing. Throws Unavailable where it cannot be used.
std::unique_ptr<BlobStore> open_folder(FolderOptions options);

// Whose a folder is, without opening or making it; nullopt for one without a mark, or none at all. Throws Unavailable.
std::optional<std::string> read_folder_mark(const std::string& root);

}  // namespace millrace::blob
