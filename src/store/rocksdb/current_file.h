// CURRENT, where everything of RocksDB begins: it names the MANIFEST, which lists the table files. RocksDB takes a
// folder without it for a new one, makes an empty database there, and removes the table files that the new list does
// not have. So it is looked at before RocksDB is let in. Any thread; takes no lock and changes nothing.
#pragma once

#include <optional>
#include <string>

namespace millrace::store::rocks {

// What is wrong with it and what to do, where RocksDB must not be let into the folder: it is damaged, or missing though
// there is what only a store leaves. Nullopt for a folder that can be opened and for a new one, also where a crash has
// cut its first start short. The folder may be in use.
std::optional<std::string> current_file_fault(const std::string& folder);

}  // namespace millrace::store::rocks
